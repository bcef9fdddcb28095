#include "access/key_form.hpp"

#include "access/credentials.hpp"
#include "access/key_view.hpp"
#include "base/address_range.hpp"
#include "base/utc_time.hpp"
#include "check.hpp"

// What strangers and operators write about keys: headers, addresses, times, bodies.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace runnel;
    using namespace std::chrono_literals;
    const std::string_view text = fuzz::text_of(data, size);

    if (const auto range = runnel::read_address_range(text))
        fuzz::require(range->contains(range->first) && range->prefix_bits <= 128,
                      "a range begins with an address of its own");
    if (const auto time = read_utc_time(text))
        fuzz::require(read_utc_time(write_utc_time(*time)) == time, "a time is read back");
    const access::AuthSettings lenient{.lenient_addresses = true, .key_in_query = true};
    if (const auto wallet = access::read_wallet(text, lenient))
        fuzz::require(access::read_wallet(*wallet, lenient) == wallet, "a wallet stays itself");
    (void)access::read_credentials({text, text, text, text}, lenient);

    static const access::AuthSettings auth;
    static constexpr std::string_view dialects[] = {"openai"};
    const access::KeyFormRules rules{dialects, &auth, {}};
    const access::UtcTime now(1'800'000'000s);
    IdSource ids(1);
    auto key = access::read_new_key(text, rules, now, &ids);
    if (!key) {
        fuzz::require(!key.error().message.empty(), "a refusal says why");
        return 0;
    }
    fuzz::require(!key->scopes.empty(), "a key has a scope");
    const access::Key before = *key;
    fuzz::require(access::change_key(&*key, text, rules, now).has_value(),
                  "what makes a key can change it");
    fuzz::require(*key == before, "and changes nothing the second time");
    (void)access::key_json(*key);
    return 0;
}
