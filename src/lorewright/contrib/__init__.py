"""Parts beside the product that can be left out."""
