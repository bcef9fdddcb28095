#include "policy/accents.hpp"

#include <array>
#include <string_view>

namespace runnel::policy {
namespace {

struct Accent {
    char32_t mark;
    std::u32string_view letters;  // one without it, the same one with it, and so on
};
// The canonical compositions of Unicode, as far as scripts that many people write have them.
constexpr std::array accents{
    Accent{0x300,
           U"AÀEÈIÌOÒUÙaàeèiìoòuùÜǛüǜNǸnǹЕЀИЍеѐиѝĒḔēḕŌṐōṑWẀwẁÂẦâầĂẰăằÊỀêềÔỒôồƠỜơờƯỪưừYỲyỳἀἂἁἃἈἊἉἋἐἒ"
           U"ἑἓἘἚἙἛἠἢἡἣἨἪἩἫἰἲἱἳἸἺἹἻὀὂὁὃὈὊὉὋὐὒὑὓὙὛὠὢὡὣὨὪὩὫαὰεὲηὴιὶοὸυὺωὼΑᾺΕῈΗῊ᾿῍ϊῒΙῚ῾῝ϋῢΥῪ¨῭ΟῸΩῺ"},
    Accent{0x301, U"AÁEÉIÍOÓUÚYÝaáeéiíoóuúyýCĆcćLĹlĺNŃnńRŔrŕSŚsśZŹzźÜǗüǘGǴgǵÅǺåǻÆǼæǽØǾøǿ¨΅ΑΆΕΈΗΉΙΊΟ"
                  U"ΌΥΎΩΏϊΐαάεέηήιίϋΰοόυύωώϒϓГЃКЌгѓкќÇḈçḉĒḖēḗÏḮïḯKḰkḱMḾmḿÕṌõṍŌṒōṓPṔpṕŨṸũṹWẂwẃÂẤâấĂẮ"
                  U"ăắÊẾêếÔỐôốƠỚơớƯỨưứἀἄἁἅἈἌἉἍἐἔἑἕἘἜἙἝἠἤἡἥἨἬἩἭἰἴἱἵἸἼἹἽὀὄὁὅὈὌὉὍὐὔὑὕὙὝὠὤὡὥὨὬὩὭ᾿῎῾῞"},
    Accent{0x302, U"AÂEÊIÎOÔUÛaâeêiîoôuûCĈcĉGĜgĝHĤhĥJĴjĵSŜsŝWŴwŵYŶyŷZẐzẑẠẬạậẸỆẹệỌỘọộ"},
    Accent{0x303, U"AÃNÑOÕaãnñoõIĨiĩUŨuũVṼvṽÂẪâẫĂẴăẵEẼeẽÊỄêễÔỖôỗƠỠơỡƯỮưữYỸyỹ"},
    Accent{0x304, U"AĀaāEĒeēIĪiīOŌoōUŪuūÜǕüǖÄǞäǟȦǠȧǡÆǢæǣǪǬǫǭÖȪöȫÕȬõȭȮȰȯȱYȲyȳИӢиӣУӮуӯGḠgḡḶḸḷḹṚṜṛṝαᾱΑ"
                  U"ᾹιῑΙῙυῡΥῩ"},
    Accent{0x306, U"AĂaăEĔeĕGĞgğIĬiĭOŎoŏUŬuŭУЎИЙийуўЖӁжӂАӐаӑЕӖеӗȨḜȩḝẠẶạặαᾰΑᾸιῐΙῘυῠΥῨ"},
    Accent{0x307, U"CĊcċEĖeėGĠgġIİZŻzżAȦaȧOȮoȯBḂbḃDḊdḋFḞfḟHḢhḣMṀmṁNṄnṅPṖpṗRṘrṙSṠsṡŚṤśṥŠṦšṧṢṨṣṩTṪtṫW"
                  U"ẆwẇXẊxẋYẎyẏſẛ"},
    Accent{0x308, U"AÄEËIÏOÖUÜaäeëiïoöuüyÿYŸΙΪΥΫιϊυϋϒϔЕЁІЇеёіїАӒаӓӘӚәӛЖӜжӝЗӞзӟИӤиӥОӦоӧӨӪөӫЭӬэӭУӰуӱЧ"
                  U"ӴчӵЫӸыӹHḦhḧÕṎõṏŪṺūṻWẄwẅXẌxẍtẗ"},
    Accent{0x309, U"AẢaảÂẨâẩĂẲăẳEẺeẻÊỂêểIỈiỉOỎoỏÔỔôổƠỞơởUỦuủƯỬưửYỶyỷ"},
    Accent{0x30A, U"AÅaåUŮuůwẘyẙ"},
    Accent{0x30B, U"OŐoőUŰuűУӲуӳ"},
    Accent{0x30C, U"CČcčDĎdďEĚeěLĽlľNŇnňRŘrřSŠsšTŤtťZŽzžAǍaǎIǏiǐOǑoǒUǓuǔÜǙüǚGǦgǧKǨkǩƷǮʒǯjǰHȞhȟ"},
    Accent{0x30F, U"AȀaȁEȄeȅIȈiȉOȌoȍRȐrȑUȔuȕѴѶѵѷ"},
    Accent{0x311, U"AȂaȃEȆeȇIȊiȋOȎoȏRȒrȓUȖuȗ"},
    Accent{0x313, U"αἀΑἈεἐΕἘηἠΗἨιἰΙἸοὀΟὈυὐωὠΩὨρῤ"},
    Accent{0x314, U"αἁΑἉεἑΕἙηἡΗἩιἱΙἹοὁΟὉυὑΥὙωὡΩὩρῥΡῬ"},
    Accent{0x31B, U"OƠoơUƯuư"},
    Accent{0x323,
           U"BḄbḅDḌdḍHḤhḥKḲkḳLḶlḷMṂmṃNṆnṇRṚrṛSṢsṣTṬtṭVṾvṿWẈwẉZẒzẓAẠaạEẸeẹIỊiịOỌoọƠỢơợUỤuụƯỰưựYỴyỵ"},
    Accent{0x324, U"UṲuṳ"},
    Accent{0x325, U"AḀaḁ"},
    Accent{0x326, U"SȘsșTȚtț"},
    Accent{0x327, U"CÇcçGĢgģKĶkķLĻlļNŅnņRŖrŗSŞsşTŢtţEȨeȩDḐdḑHḨhḩ"},
    Accent{0x328, U"AĄaąEĘeęIĮiįUŲuųOǪoǫ"},
    Accent{0x32D, U"DḒdḓEḘeḙLḼlḽNṊnṋTṰtṱUṶuṷ"},
    Accent{0x32E, U"HḪhḫ"},
    Accent{0x330, U"EḚeḛIḬiḭUṴuṵ"},
    Accent{0x331, U"BḆbḇDḎdḏKḴkḵLḺlḻNṈnṉRṞrṟTṮtṯZẔzẕhẖ"},
    Accent{0x342, U"ἀἆἁἇἈἎἉἏἠἦἡἧἨἮἩἯἰἶἱἷἸἾἹἿὐὖὑὗὙὟὠὦὡὧὨὮὩὯαᾶ¨῁ηῆ᾿῏ιῖϊῗ῾῟υῦϋῧωῶ"},
    Accent{0x653, U"اآ"},
    Accent{0x654, U"اأوؤيئەۀہۂےۓ"},
    Accent{0x655, U"اإ"},
    Accent{0x93C, U"नऩरऱळऴ"},
    Accent{0x3099, U"かがきぎくぐけげこごさざしじすずせぜそぞただちぢつづてでとどはばひびふぶへべほ"
                   U"ぼうゔゝゞカガキギクグケゲコゴサザシジスズセゼソゾタダチヂツヅテデトドハバヒビ"
                   U"フブヘベホボウヴワヷヰヸヱヹヲヺヽヾ"},
    Accent{0x309A, U"はぱひぴふぷへぺほぽハパヒピフプヘペホポ"},
};

// Korean syllables are counted: by the first consonant, the vowel, and the last consonant.
constexpr char32_t first_syllable = 0xAC00, last_syllable = 0xD7A3;
constexpr char32_t first_consonant = 0x1100, first_vowel = 0x1161, no_consonant = 0x11A7;
constexpr char32_t consonants = 19, vowels = 21, last_consonants = 28;

bool is_syllable(char32_t letter) { return letter >= first_syllable && letter <= last_syllable; }

}  // namespace

std::optional<SplitLetter> split_letter(char32_t letter) {
    if (letter < 0x80) return std::nullopt;
    if (is_syllable(letter)) {
        const char32_t number = letter - first_syllable;
        const char32_t last = number % last_consonants;
        if (last != 0) return SplitLetter{letter - last, no_consonant + last};
        return SplitLetter{first_consonant + number / last_consonants / vowels,
                           first_vowel + number / last_consonants % vowels};
    }
    for (const Accent& accent : accents)
        for (std::size_t i = 1; i < accent.letters.size(); i += 2)
            if (accent.letters[i] == letter) return SplitLetter{accent.letters[i - 1], accent.mark};
    return std::nullopt;
}

std::optional<char32_t> joined_letter(SplitLetter split) {
    const char32_t consonant = split.base - first_consonant, vowel = split.mark - first_vowel;
    if (consonant < consonants && vowel < vowels)
        return first_syllable + (consonant * vowels + vowel) * last_consonants;
    const char32_t last = split.mark - no_consonant;
    if (is_syllable(split.base) && (split.base - first_syllable) % last_consonants == 0 &&
        last > 0 && last < last_consonants)
        return split.base + last;
    for (const Accent& accent : accents)
        for (std::size_t i = 0; accent.mark == split.mark && i < accent.letters.size(); i += 2)
            if (accent.letters[i] == split.base) return accent.letters[i + 1];
    return std::nullopt;
}

}  // namespace runnel::policy
