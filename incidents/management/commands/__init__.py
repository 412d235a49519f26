"""Commands of the incidents app."""
