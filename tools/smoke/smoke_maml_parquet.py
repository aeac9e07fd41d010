"""A first use of an installed maml-parquet: so far, that its errors list problems by their lines."""

import importlib.resources

import maml_parquet


def main() -> None:
    """Make an error of two problems, and see them in order."""
    assert importlib.resources.files("maml_parquet").joinpath("py.typed").is_file()
    found = [
        maml_parquet.errors.Problem("shape", ("fields",), "later", 9),
        maml_parquet.errors.Problem("yaml", (), "first", 2),
    ]
    assert str(maml_parquet.MamlError(found, "x.maml")).splitlines() == ["x.maml:2:1 first", "x.maml:9:1 fields: later"]
    print("maml-parquet works")


if __name__ == "__main__":
    main()
