#include "tools/builtin/html_text.hpp"

#include "tools/builtin/html_entities.hpp"

#include <gtest/gtest.h>

namespace runnel::tools {
namespace {

std::string text(std::string_view html) { return html_to_text(html).text; }

TEST(HtmlText, KeepsWhatAReaderSees) {
    const PageText page = html_to_text(R"(<!DOCTYPE html>
<html><head><title>A &amp; B</title><style>p { color: red }</style>
<script>if (a < b) document.write("<p>no</p>")</script></head>
<body><!-- not this --><h1>Heading</h1>
<p>Some <b>bold</b> text with
a <a href="/x?a=1&b=2">link</a>.</p><p>Next</p>
<ul><li>one</li><li>two</li></ul>
<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>
line<br>break</body></html>)");
    EXPECT_EQ(page.title, "A & B");
    EXPECT_EQ(page.text,
              "Heading\n\nSome bold text with a link.\n\nNext\n\n- one\n- two\n\na b\nc\n\n"
              "line\nbreak");
}

TEST(HtmlText, KeepsPreformattedText) {
    EXPECT_EQ(text("a<pre>x  y\n  z\n\nw</pre>b"), "a\n\nx  y\n  z\n\nw\n\nb");
}

TEST(HtmlText, HidesScriptsHoweverTheyAreWritten) {
    EXPECT_EQ(text("a<SCRIPT type='x>y'>1</SCRIPT >b"), "ab");
    EXPECT_EQ(text("a<script>'</scriptx>' + \"</b>\"</script\n>b"), "ab");
    EXPECT_EQ(text("a<svg><title>no</title><text>no</text></svg>b"), "ab");
    EXPECT_EQ(text("a<script>never closed <p>b"), "a");
    EXPECT_EQ(text("a<style>x</style"), "a");
}

TEST(HtmlText, TakesBrokenMarkupAsItComes) {
    EXPECT_EQ(text("1 < 2 <3"), "1 < 2 <3");
    EXPECT_EQ(text("a<b"), "a");
    EXPECT_EQ(text("a<img alt='>'>b<img title=\"a>b\" / >c"), "abc");
    EXPECT_EQ(text("a<p class=it's>b</p>"), "a\n\nb");
    EXPECT_EQ(text("a<!-- b"), "a");
    EXPECT_EQ(text("a</>b<"), "a</>b<");
    EXPECT_EQ(text("<?xml version='1.0'?>a<![CDATA[b]]>c"), "ac");
    EXPECT_EQ(text(""), "");
    EXPECT_EQ(text("</pre></p>a"), "a");
}

TEST(HtmlText, DecodesCharacterReferences) {
    EXPECT_EQ(text("&lt;p&gt; &auml;&#228;&#xE4; &nbsp;x &euro;&hellip;"), "<p> äää \u00A0x €…");
    EXPECT_EQ(text("&#128; &#0; &#xD800; &#99999999999;"), "€ \uFFFD \uFFFD \uFFFD");
    EXPECT_EQ(text("a&b &unknown; &amp &copy=1 &#; &#x;"), "a&b &unknown; &amp &copy=1 &#; &#x;");
    EXPECT_EQ(text("&#65 &#x1F600;"), "A 😀");
}

TEST(HtmlText, IsNeverLongerThanThePage) {
    for (const char* html : {"<p>", "<li>", "<li><li><li>a<p>b<p>c", "<br><br>a<br>b"})
        EXPECT_LE(text(html).size(), std::string_view(html).size()) << html;
}

TEST(HtmlText, ReadsTheWebsOldEncoding) {
    EXPECT_EQ(windows_1252_to_utf8("a\xE4\x80\x93\xFF"), "aä€“ÿ");
}

}  // namespace
}  // namespace runnel::tools
