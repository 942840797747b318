"""What people see: the terminal, pictures, pages and memoirs, in English and Chinese."""
