"""Sheets bound into a volume: an outline, labels of pages, and links that lead to places in this and other volumes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from urllib.parse import unquote

from pypdf import PdfReader, PdfWriter
from pypdf.constants import PageLabelStyle
from pypdf.generic import ArrayObject, DictionaryObject, Fit, FloatObject, NameObject, NullObject, TextStringObject

from paper.plan import Heading, Line, Place, place_of

TOP = 842.0  # points of A4


class Sheets:
    """What has been printed of a page of the site: the sheets, its headings, and sheet and height of each target."""

    def __init__(self, page: str, file: Path, headings: Sequence[Heading] = ()) -> None:
        reader = PdfReader(file)
        self.page, self.headings, self.sheets = page, headings, reader.pages
        self.targets = {"": (0, TOP)}
        for name, target in reader.named_destinations.items():
            number = reader.get_destination_page_number(target)
            self.targets[unquote(name.removeprefix("/"))] = (number or 0, float(target.top or TOP))


def listed(printed: Sequence[Sheets]) -> Iterator[Line]:
    """The lines of the contents of a volume whose first sheet after them has the number 1."""
    first = 1
    for part in printed:
        for heading in part.headings:
            yield Line(heading, part.page, first + part.targets.get(heading.anchor, part.targets[""])[0])
        first += len(part.sheets)


class Bindery:
    """Binds volumes whose places, by name, lie in files.

    What has an ``address`` of the printed site and is in no volume is read at ``public``, or nowhere if that is "".
    """

    def __init__(self, files: Mapping[str, str], address: str, public: str) -> None:
        self.files, self.address, self.public = files, address, public

    def bind(self, file: Path, title: str, author: str, printed: Sequence[Sheets]) -> int:
        """Write a volume of the printed contents and pages; the number of its sheets."""
        writer = PdfWriter()
        places: dict[str, tuple[int, float]] = {}
        chapter = None
        for part in printed:
            first = len(writer.pages)
            for sheet in part.sheets:
                writer.add_page(sheet)
            for anchor, (number, top) in part.targets.items():
                places[Place(part.page, anchor).name] = (first + number, top)
            for heading in part.headings:
                number, top = part.targets.get(heading.anchor, part.targets[""])
                place = {"title": heading.text, "page_number": first + number, "fit": Fit.xyz(top=top)}
                inside = chapter if heading.level > 1 else None
                item = writer.add_outline_item(**place, parent=inside, is_open=False)
                chapter = inside or item
            for number in range(first, len(writer.pages)):
                self._lead(writer, number, part.page, file.name)
        for name in sorted(places):
            number, top = places[name]
            target = [writer.pages[number].indirect_reference, NameObject("/XYZ"), NullObject(), FloatObject(top)]
            writer.add_named_destination_array(TextStringObject(name), ArrayObject([*target, NullObject()]))
        front = len(printed[0].sheets)
        writer.set_page_label(0, front - 1, PageLabelStyle.LOWERCASE_ROMAN)
        writer.set_page_label(front, len(writer.pages) - 1, PageLabelStyle.DECIMAL, start=1)
        writer.add_metadata({"/Title": title, "/Author": author})
        writer.root_object[NameObject("/Lang")] = TextStringObject("en")
        writer.page_mode = "/UseOutlines"
        writer.compress_identical_objects()
        writer.write(file)
        return len(writer.pages)

    def _lead(self, writer: PdfWriter, number: int, page: str, file: str) -> None:
        """Let the links of a sheet lead to places by name; take away those that lead nowhere."""
        kept = ArrayObject()
        for reference in writer.pages[number].get("/Annots", ()):
            link = reference.get_object()
            if "/Dest" in link:
                place: Place | None = Place(page, unquote(link.pop("/Dest").removeprefix("/")))
            else:
                place = place_of(link["/A"].get("/URI", ""), self.address)
            if place and (action := self._to(place, file)):
                link[NameObject("/A")] = action
            if "/A" in link and not link["/A"].get("/URI", "").startswith(self.address):
                kept.append(reference)
        writer.pages[number][NameObject("/Annots")] = kept

    def _to(self, place: Place, file: str) -> DictionaryObject | None:
        """The action that leads to a place from a file, or to the beginning of its page, or to the web."""
        name = next((name for name in (place.name, Place(place.page, "").name) if name in self.files), None)
        if name is None and not self.public:
            return None
        if name is None:
            action = {
                "/S": NameObject("/URI"),
                "/URI": TextStringObject(f"{self.public}{place.page}.html#{place.anchor}".rstrip("#")),
            }
        elif self.files[name] == file:
            action = {"/S": NameObject("/GoTo"), "/D": TextStringObject(name)}
        else:
            action = {
                "/S": NameObject("/GoToR"),
                "/D": TextStringObject(name),
                "/F": TextStringObject(self.files[name]),
            }
        return DictionaryObject({NameObject(key): value for key, value in action.items()})
