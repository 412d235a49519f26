"""Commands and starts, without a database: they begin processes and write file trees."""
