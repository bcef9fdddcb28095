"""Links lead somewhere: to files that are there, and to headings that are in them."""

import subprocess
import unittest

import markdown


def all_pages():
    """Every Markdown file that is part of the project."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.md"], cwd=markdown.ROOT,
                            capture_output=True, text=True, check=False)
    if listed.returncode != 0:
        return markdown.pages()
    return [markdown.ROOT / name for name in listed.stdout.split("\n") if name]


class Links(unittest.TestCase):
    def test_links_between_pages_resolve(self):
        broken = []
        for page in all_pages():
            for link in markdown.links_of(page.read_text(encoding="utf-8")):
                if link.startswith(("https://", "http://", "mailto:")):
                    continue
                path, _, anchor = link.partition("#")
                target = (page.parent / path).resolve() if path else page
                if not target.exists():
                    broken.append(f"{markdown.name_of(page)}: {link}: there is no such file")
                elif anchor and anchor not in markdown.anchors_of(target.read_text(encoding="utf-8")):
                    broken.append(f"{markdown.name_of(page)}: {link}: there is no such heading")
        self.assertEqual(broken, [], "\n" + "\n".join(broken))

    def test_the_index_names_every_page(self):
        index = markdown.ROOT / "docs" / "README.md"
        linked = {(index.parent / link.partition("#")[0]).resolve()
                  for link in markdown.links_of(index.read_text(encoding="utf-8"))}
        missing = [markdown.name_of(page) for page in (markdown.ROOT / "docs").rglob("*.md")
                   if page != index and page.resolve() not in linked]
        self.assertEqual(missing, [], f"docs/README.md does not name {missing}")


if __name__ == "__main__":
    unittest.main()
