-- Rows are added one writer after the other and never changed or removed, so their number names the book.
SELECT count(*) FROM price
