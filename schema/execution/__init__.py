"""From a document's text to an answer: parsing, limits, validation, execution, and errors as clients see them."""
