"""Every border: files that come in, files that go out."""
