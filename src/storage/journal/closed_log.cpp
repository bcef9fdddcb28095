#include "storage/journal/closed_log.hpp"

#include "base/log.hpp"
#include "storage/journal/frame.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace runnel::storage {
namespace {

// A file begins with its kind and version, how far its entries are kept elsewhere, how many that
// are, and how many there are in all. The two numbers stand at its end too, should the beginning be
// what is lost.
constexpr std::string_view mark = "rnlclsd2";
constexpr std::size_t kept_at = 8;
constexpr std::size_t kept_number_at = 16;
constexpr std::size_t count_at = 24;
constexpr std::size_t head_bytes = closed_head_bytes;
constexpr std::size_t tail_bytes = 16;

constexpr std::uint64_t numbers_max = 1 << 24;  // of one file; more is a number that is damaged

void store_numbers(char* head, char* tail, std::size_t at, std::uint32_t number) {
    store_count(head + at, number);
    store_count(tail + (at - kept_number_at), number);
}

// Either copy of a number.
std::optional<std::uint32_t> load_number(std::string_view file, std::size_t at) {
    std::optional<std::uint32_t> number;
    if (file.size() >= head_bytes) number = load_count(file.data() + at);
    if (number || file.size() < head_bytes + tail_bytes || file.size() % 8 != 0) return number;
    return load_count(file.data() + file.size() - tail_bytes + (at - kept_number_at));
}

}  // namespace

struct ClosedLog::File {
    MappedFile memory;  // set under the lock; none: it is on the disk alone
    std::string name;
    std::size_t size;

    // The writer's, and everybody's once there is a successor.
    std::size_t end = head_bytes;
    std::uint32_t entries = 0;

    // Under the lock.
    bool on_disk = false;
    std::filesystem::path parked{};  // where it is, if only there

    // The copier's.
    std::size_t seen = head_bytes;     // its end when that was last looked for
    std::size_t copied = head_bytes;   // up to there it is on the disk, or need not be
    std::uint32_t copied_entries = 0;  // up to there
    std::string numbers{};             // as they are on the disk

    char* tail() { return memory.data() + size - tail_bytes; }
    Frame frame_at(std::size_t at) const {
        if (memory.size() == 0) return {};
        return read_frame(memory.bytes().substr(0, size - tail_bytes), at);
    }
    bool has_room(std::size_t bytes) const {
        return size >= bytes + tail_bytes && end <= size - tail_bytes - bytes;
    }
};

ClosedLog::ClosedLog(JournalFolder* folder, Sizes sizes) : folder_(folder), sizes_(sizes) {}

ClosedLog::~ClosedLog() {
    if (committed_ != appended_) return;
    for (const auto& file : files_)
        if (file->memory.size() > 0) folder_->remove(file->memory);
}

char* ClosedLog::reserve(std::size_t bytes) {
    const std::size_t wanted = frame_bytes(bytes);
    if ((!current_ || !current_->has_room(wanted)) && !begin_file(wanted)) {
        lost_.store(lost_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        return nullptr;
    }
    reserved_ = bytes;
    return current_->memory.data() + current_->end + frame_head_bytes;
}

void ClosedLog::publish() {
    File& file = *current_;
    publish_frame(file.memory.data() + file.end, reserved_, file.entries);
    file.end += frame_bytes(reserved_);
    store_numbers(file.memory.data(), file.tail(), count_at, ++file.entries);
    // The total order of this and of Wakeup's flag is why no entry is slept through.
    appended_.store(appended_.load(std::memory_order_relaxed) + 1, std::memory_order_seq_cst);
}

bool ClosedLog::begin_file(std::size_t bytes) {
    const auto now = std::chrono::steady_clock::now();
    if (now < retry_at_) return false;
    const std::size_t size =
        std::max(sizes_.file_bytes, (head_bytes + bytes + tail_bytes + 7) / 8 * 8);
    auto made = folder_->make_file(closed_files_kind, size);
    if (!made) {
        retry_at_ = now + sizes_.retry_time;
        return false;
    }
    const auto file = std::make_shared<File>(std::move(made->memory), std::move(made->name), size);
    char* const head = file->memory.data();
    // First of all: a file that says how many it holds is whole, be it killed here or there.
    store_numbers(head, file->tail(), count_at, 0);
    store_numbers(head, file->tail(), kept_number_at, 0);
    store_count(head + kept_at, head_bytes);
    std::memcpy(head, mark.data(), mark.size());
    const std::scoped_lock lock(mutex_);
    files_.push_back(file);
    current_ = file;
    return true;
}

// The first one where there is no file yet; null: it is the last.
std::shared_ptr<ClosedLog::File> ClosedLog::after(const File* file) {
    const std::scoped_lock lock(mutex_);
    auto found = files_.begin();
    if (file != nullptr)
        found = std::next(
            std::ranges::find_if(files_, [&](const auto& one) { return one.get() == file; }));
    return found == files_.end() ? nullptr : *found;
}

std::optional<std::string_view> ClosedLog::take() {
    while (true) {
        Frame frame;
        if (reading_) frame = reading_->frame_at(read_);
        if (frame.state == Frame::State::whole || frame.state == Frame::State::damaged) {
            read_ += frame_bytes(frame.payload.size());
            ++read_entries_;
            ++taken_;
            if (frame.state == Frame::State::whole) return frame.payload;
            damaged_.fetch_add(1, std::memory_order_relaxed);
            continue;
        }
        const auto next = after(reading_.get());
        if (!next) return std::nullopt;
        // The last entries may have come after it was read, and before it had a successor.
        if (reading_ && frame.state == Frame::State::none &&
            reading_->frame_at(read_).state != Frame::State::none)
            continue;
        go_on_to(next);
    }
}

void ClosedLog::go_on_to(std::shared_ptr<File> next) {
    if (reading_) {
        // Somebody wrote over the end of it.
        const std::uint32_t missing = reading_->entries - read_entries_;
        taken_ += missing;
        damaged_.fetch_add(missing, std::memory_order_relaxed);
    }
    std::filesystem::path parked;
    {
        const std::scoped_lock lock(mutex_);
        reading_ = std::move(next);
        parked = reading_->parked;
    }
    read_ = head_bytes;
    read_entries_ = 0;
    if (parked.empty()) return;
    // From now on nobody else touches its memory.
    const auto bytes = read_file(parked);
    auto memory = MappedFile::memory(reading_->size);
    if (!bytes || !memory) {
        log::Line(log::Level::error, "a file of the journal can't be read; its requests are lost")
            .add("file", parked.string())
            .add("requests", std::uint64_t{reading_->entries})
            .add("detail", bytes ? memory.error().message : bytes.error().message)
            .write();
        return;  // it is empty, so all its entries are missing
    }
    std::memcpy(memory->data(), bytes->data(), std::min(bytes->size(), reading_->size));
    const std::scoped_lock lock(mutex_);
    reading_->memory = std::move(*memory);
}

void ClosedLog::commit() {
    std::vector<std::shared_ptr<File>> done;
    {
        const std::scoped_lock lock(mutex_);
        while (!files_.empty() && files_.front() != reading_ && reading_) {
            if (files_.front()->on_disk) kept_elsewhere_.push_back(files_.front()->name);
            done.push_back(std::move(files_.front()));
            files_.pop_front();
        }
    }
    for (const auto& file : done)
        if (file->parked.empty()) folder_->remove(file->memory);
    if (reading_ && reading_->memory.size() > 0) {
        // In this order: what is below the number is kept, wherever it stands.
        char* const head = reading_->memory.data();
        store_numbers(head, reading_->tail(), kept_number_at, read_entries_);
        store_count(head + kept_at, static_cast<std::uint32_t>(read_));
    }
    committed_.store(taken_, std::memory_order_relaxed);
}

Result<void> ClosedLog::copy_to(JournalDisk& disk, Copying how) {
    std::vector<std::shared_ptr<File>> files;
    {
        const std::scoped_lock lock(mutex_);
        files.assign(files_.begin(), files_.end());
    }
    Result<void> done;
    for (const auto& file : files) {
        bool is_parked = false;
        {
            const std::scoped_lock lock(mutex_);
            is_parked = !file->parked.empty();
        }
        if (is_parked) continue;
        done = copy(*file, disk, how);
        if (!done) break;
        if (file != files.back()) let_go_of_memory(file, disk);
    }
    std::vector<std::string> not_needed;
    {
        const std::scoped_lock lock(mutex_);
        not_needed.swap(kept_elsewhere_);
        if (how == Copying::at_the_end && committed_ == appended_)
            for (const auto& file : files_) not_needed.push_back(file->name);
    }
    for (const std::string& name : not_needed) disk.remove(name);
    return done;
}

Result<void> ClosedLog::copy(File& file, JournalDisk& disk, Copying how) {
    const std::string_view bytes = file.memory.bytes();
    const std::size_t kept = load_count(bytes.data() + kept_at).value_or(head_bytes);
    const std::uint32_t kept_number = load_number(bytes, kept_number_at).value_or(0);
    const std::size_t from = std::max(file.copied, kept);
    const std::size_t until = how == Copying::in_a_while ? file.seen : bytes.size();
    std::size_t end = from;
    std::uint32_t entries = std::max(file.copied_entries, kept_number);
    file.seen = from;
    for (Frame frame = file.frame_at(from); frame.state == Frame::State::whole;
         frame = file.frame_at(file.seen)) {
        file.seen += frame_bytes(frame.payload.size());
        if (file.seen > until) continue;
        end = file.seen;
        entries = static_cast<std::uint32_t>(frame.number) + 1;
    }
    if (end > from) {
        {
            const std::scoped_lock lock(mutex_);
            file.on_disk = true;
        }
        if (auto done = disk.write(file.name, from, bytes.substr(from, end - from)); !done)
            return done;
    }
    file.copied = end;
    file.copied_entries = entries;
    if (!file.on_disk) return {};
    std::string head(head_bytes, '\0');
    std::string tail(tail_bytes, '\0');
    std::memcpy(head.data(), mark.data(), mark.size());
    store_count(head.data() + kept_at, static_cast<std::uint32_t>(kept));
    store_numbers(head.data(), tail.data(), kept_number_at, kept_number);
    store_numbers(head.data(), tail.data(), count_at, entries);
    if (head == file.numbers) return {};
    if (auto done = disk.write(file.name, 0, head); !done) return done;
    if (auto done = disk.write(file.name, file.size - tail_bytes, tail); !done) return done;
    file.numbers = std::move(head);
    return {};
}

void ClosedLog::let_go_of_memory(const std::shared_ptr<File>& file, JournalDisk& disk) {
    if (file->copied != file->end || !file->on_disk) return;
    MappedFile memory;
    {
        const std::scoped_lock lock(mutex_);
        // What the reader is at, or has read, is soon let go of anyhow.
        auto next = files_.begin();
        if (reading_) next = std::next(std::ranges::find(files_, reading_));
        if (std::find(next, files_.end(), file) == files_.end()) return;
        file->parked = disk.path_of(file->name);
        memory = std::move(file->memory);
    }
    folder_->remove(memory);
}

bool has_entries_that_wait(std::string_view head) {
    return load_number(head, count_at).value_or(0) > load_number(head, kept_number_at).value_or(0);
}

ClosedFileReader::ClosedFileReader(std::string_view file) : file_(file), at_(head_bytes) {
    kept_ = load_number(file, kept_number_at).value_or(0);
    const auto count = load_number(file, count_at);
    count_ = count.value_or(0);
    count_is_told_ = count.has_value();
    // It has its size from the beginning, and its numbers before it has an entry.
    is_strange_ = file.size() < head_bytes ||
                  (!count_is_told_ && file.find_first_not_of('\0') != std::string_view::npos);
    if (file.size() < head_bytes) return;
    const auto kept_place = load_count(file.data() + kept_at);
    // Where it can't be told, the entries speak for themselves.
    if (kept_place && *kept_place >= head_bytes && *kept_place <= file.size() &&
        *kept_place % 8 == 0)
        at_ = *kept_place;
}

// Where no frame is, one is looked for at each place that is aligned: what is damaged hides nothing
// behind it. No text is taken for a frame, because the word that one begins with is not UTF-8.
std::optional<std::string_view> ClosedFileReader::next() {
    while (at_ + frame_head_bytes <= file_.size()) {
        const Frame frame = read_frame(file_, at_);
        if (frame.state != Frame::State::whole || frame.number >= numbers_max) {
            if (count_is_told_ && kept_ + found_ >= count_) break;
            at_ += 8;
            continue;
        }
        at_ += frame_bytes(frame.payload.size());
        count_ = std::max(count_, frame.number + 1);
        if (seen_.size() <= frame.number) seen_.resize(frame.number + 1);
        if (frame.number < kept_ || seen_[frame.number]) continue;
        seen_[frame.number] = true;
        ++found_;
        return frame.payload;
    }
    at_ = file_.size();
    return std::nullopt;
}

std::uint64_t ClosedFileReader::lost() const {
    const std::uint64_t missing = count_ > kept_ + found_ ? count_ - kept_ - found_ : 0;
    return is_strange_ ? std::max<std::uint64_t>(missing, count_ == 0 ? 1 : 0) : missing;
}

}  // namespace runnel::storage
