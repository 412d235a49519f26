"""Past incidents as files, judged again: the format, its command `assay-replay`, and acceptance by people."""
