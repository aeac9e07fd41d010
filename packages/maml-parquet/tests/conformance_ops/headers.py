"""What the keys and values of a file say."""

from dataclasses import asdict

from maml_parquet.header.reading import read_items


def header(given):
    found = read_items([(key, value) for key, value in given["items"]])
    return {
        "columns": [{"name": name} | asdict(info) for name, info in found.columns.items()],
        "entries": [asdict(entry) for entry in found.entries],
        "date": found.date,
        "name": found.name,
        "notices": [{"code": notice.code, "at": list(notice.at)} for notice in found.notices],
    }


OPS = {"maml.header": header}
