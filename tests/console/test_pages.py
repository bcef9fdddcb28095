"""Every page: it comes, fits, has no barriers, in light and dark, on a desk and on a phone."""

import client
from client import get
from console_test import ConsoleTest

PAGES = {"/": "Overview", "/requests": "Requests", "/playground": "Playground", "/keys": "Keys", "/usage": "Usage",
         "/providers": "Providers & models", "/config": "Config"}
PHONE = 390


class Pages(ConsoleTest):
    def setUp(self):
        super().setUp()
        for model in ("demo/text", "assistant", "demo/error-midstream"):
            client.ask(self.runnel.port, model=model)
        client.ask(self.runnel.port, model="demo/error-before")

    def name_of(self, path):
        return path.strip("/") or "overview"

    def settle(self, page):
        page.wait_for("document.querySelector('h1') && !document.querySelector('.loading')")

    def test_each_is_reached_from_the_menu(self):
        page = self.open()
        for path, title in list(PAGES.items())[1:] + [("/", "Overview")]:
            page.click(title).is_at(path).has_title(title)
            self.assertEqual(page.text_of("nav [aria-current]"), title)
            page.has_focus(title)  # the heading, so that a screen reader says where one is

    def test_each_in_light_and_dark_without_barriers(self):
        for path, title in PAGES.items():
            for scheme in ("light", "dark"):
                with self.subTest(path=path, scheme=scheme):
                    page = self.open(path, scheme=scheme).has_title(title)
                    self.settle(page)
                    page.screenshot(f"{self.name_of(path)}-{scheme}")
                    self.assert_no_barriers(page)

    def test_each_fits_a_phone(self):
        for path, title in PAGES.items():
            with self.subTest(path=path):
                page = self.open(path, width=PHONE, height=844).has_title(title)
                self.settle(page)
                self.assert_fits(page, PHONE)
                page.screenshot(f"{self.name_of(path)}-phone")
        self.assert_no_barriers(page)

    def test_a_phone_has_a_menu(self):
        page = self.open(width=PHONE, height=844).has_title("Overview")
        self.assertFalse(page.run("document.querySelector('nav').checkVisibility()"))
        page.click("Menu").click("Keys").has_title("Keys")
        page.wait_for("!document.querySelector('nav').checkVisibility()")

    def test_the_keyboard_is_enough(self):
        page = self.open().has_title("Overview").shows("Latest failures")
        page.press("Tab").has_focus("Skip to the content")
        page.press("Enter").wait_for("document.activeElement.id === 'content'")
        page.focus(".card tbody a").press("Enter").has_title("Request")
        page.focus("[role=tab]").press("ArrowRight").has_focus("Raw frames")
        page.wait_for("document.querySelector('[role=tab][aria-selected=true]').textContent === 'Raw frames'")

    def test_the_colours_can_be_chosen_and_stay(self):
        background = "getComputedStyle(document.documentElement).backgroundColor"
        page = self.open(scheme="light").has_title("Overview")
        light = page.run(background)
        page.choose("Colours", "Dark").wait_for(f"{background} !== '{light}'")
        dark = page.run(background)
        page.go(self.url + "/keys")
        page.wait_for(f"{background} === '{dark}'")
        page.choose("Colours", "System colours").wait_for(f"{background} === '{light}'")

    def test_how_soon_each_is_usable(self):
        """Figures to read: what the machine does meanwhile is no fault of the console's."""
        page = self.open()
        for path, title in PAGES.items():
            page.go("about:blank")
            page.go(self.url + path)
            page.has_title(title)
            self.settle(page)
            # From asking for the address until the page had what it asked for.
            took = page.run("Math.max(...performance.getEntriesByType('resource').map((each) => each.responseEnd))")
            print(f"\nFIGURE: {title} is usable after {took:.0f} ms", flush=True)

    def test_where_there_is_nothing_it_says_so(self):
        page = self.open("/no/such/page").has_title("There is nothing here").shows("/no/such/page")
        page.click("Go to the overview").has_title("Overview")

    def test_going_back_goes_back(self):
        page = self.open()
        page.click("Requests").has_title("Requests")
        page.run("history.back()")
        page.has_title("Overview")


class Files(ConsoleTest):
    browser_accepts = {"Accept": "text/html,*/*;q=0.8", "Host": "127.0.0.1"}

    def page(self, path="/", **headers):
        return get(self.runnel.port, path, headers={**self.browser_accepts, **headers})

    def test_the_page_may_load_nothing_from_elsewhere(self):
        response = self.page()
        self.assertEqual(response.status, 401)  # as for everybody who is not signed in
        self.assertEqual(response.headers["x-content-type-options"], "nosniff")
        self.assertEqual(response.headers["referrer-policy"], "no-referrer")
        policy = response.headers["content-security-policy"]
        for part in ("default-src 'self'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"):
            self.assertIn(part, policy)
        self.assertNotIn("unsafe", policy)
        self.assertEqual(response.headers["cache-control"], "no-cache")
        self.assertIn(b"<form", response.body)

    def test_programs_get_what_they_got_before(self):
        text = get(self.runnel.port, "/")
        self.assertTrue(text.headers["content-type"].startswith("text/plain"))
        self.assertIn(b"/v1/chat/completions", text.body)
        self.assertEqual(get(self.runnel.port, "/nothing").json()["error"]["code"], "not_found")
        self.assertEqual(self.page("/v1/nothing").json()["error"]["code"], "not_found")
        self.assertEqual(self.page("/assets/nothing.js").json()["error"]["code"], "not_found")

    def test_files_are_kept_for_good_and_small(self):
        names = set(self.page().body.decode().split('"')) - {""}
        assets = sorted(name for name in names if name.startswith("/assets/"))
        self.assertGreaterEqual(len(assets), 3)
        size = 0
        for name in assets:
            plain = get(self.runnel.port, name)
            self.assertEqual(plain.status, 200, name)
            self.assertIn("immutable", plain.headers["cache-control"])
            zipped = get(self.runnel.port, name, headers={"Accept-Encoding": "gzip"})
            self.assertEqual(zipped.headers["content-encoding"], "gzip")
            size += len(zipped.body)
            again = get(self.runnel.port, name, headers={"If-None-Match": plain.headers["etag"]})
            self.assertEqual((again.status, again.body), (304, b""))
        self.assertLess(size, 250 * 1024)
