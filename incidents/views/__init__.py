"""Pages and addresses of the incidents app."""
