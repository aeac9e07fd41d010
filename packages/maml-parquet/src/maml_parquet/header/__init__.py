"""The texts that go into a file beside its rows, and come out of it: keys, VOTable XML, MAML."""
