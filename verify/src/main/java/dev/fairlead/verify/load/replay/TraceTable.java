package dev.fairlead.verify.load.replay;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import de.siegmar.fastcsv.reader.FieldMismatchStrategy;
import dev.fairlead.verify.BadInput;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import java.util.zip.GZIPInputStream;

/**
 * A CSV file with a heading, plain or with gzip, whose errors name file, line, column and the
 * expected value.
 */
public final class TraceTable {
  private static final int BYTE_ORDER_MARK = 0xFEFF;

  private final Path file;

  public TraceTable(Path file) {
    this.file = file;
  }

  /**
   * A row of the table.
   *
   * @param columns names of the heading, each once
   * @param line counts from 1, the heading included
   * @param fields as many as columns
   */
  public record Row(Path file, List<String> columns, long line, List<String> fields) {
    /**
     * Parses a field.
     *
     * @param parse never returns null. Any exception means that the text is invalid
     */
    public <T> T field(String column, String expected, Function<String, T> parse) {
      int at = columns.indexOf(column);
      if (at < 0) {
        String found = "no such column among " + String.join(",", columns);
        throw bad(file, 1, column, expected, found);
      }
      try {
        return parse.apply(fields.get(at));
      } catch (RuntimeException e) {
        throw bad(file, line, column, expected, "\"" + fields.get(at) + "\"");
      }
    }

    public boolean has(String column) {
      return columns.contains(column);
    }

    private static BadInput bad(
        Path file, long line, String column, String expected, String found) {
      return new BadInput(
          "%s:%d: column %s: expected %s, found %s".formatted(file, line, column, expected, found));
    }
  }

  /**
   * Every row, in the order of the file. Empty lines are skipped.
   *
   * @throws BadInput for a file that is missing, is not CSV, has no row, or has a field that {@code
   *     parse} refuses
   */
  public <T> List<T> rows(Function<Row, T> parse) {
    if (!Files.isRegularFile(file)) {
      throw new BadInput(file + " is missing");
    }
    try (Reader text = reader();
        CsvReader<CsvRecord> csv = csv(text)) {
      return rows(csv.iterator(), parse);
    } catch (CsvParseException e) {
      boolean coding = e.getCause() instanceof CharacterCodingException;
      throw new BadInput(
          file + ": expected CSV in UTF-8" + (coding ? "" : ", found: " + e.getMessage()), e);
    } catch (CharacterCodingException e) {
      throw new BadInput(file + ": expected CSV in UTF-8", e);
    } catch (IOException | UncheckedIOException e) {
      throw new BadInput(file + " cannot be read: " + e.getMessage(), e);
    }
  }

  private <T> List<T> rows(Iterator<CsvRecord> records, Function<Row, T> parse) {
    List<String> columns = records.hasNext() ? heading(records.next()) : List.of();
    List<T> rows = new ArrayList<>();
    while (records.hasNext()) {
      CsvRecord next = records.next();
      long line = next.getStartingLineNumber();
      int fields = next.getFieldCount();
      if (fields != columns.size()) {
        boolean quoted = next.getFields().stream().anyMatch(f -> f.indexOf('\n') >= 0);
        throw new BadInput(
            "%s:%d: expected %d fields as in the heading, found %d%s"
                .formatted(
                    file,
                    line,
                    columns.size(),
                    fields,
                    quoted ? "; a quotation mark before them is not closed" : ""));
      }
      rows.add(parse.apply(new Row(file, columns, line, next.getFields())));
    }
    if (rows.isEmpty()) {
      throw new BadInput(file + ": expected a heading and at least one row");
    }
    return rows;
  }

  private List<String> heading(CsvRecord first) {
    List<String> columns = new ArrayList<>();
    for (String column : first.getFields()) {
      if (columns.contains(column)) {
        throw new BadInput(file + ":1: column " + column + ": expected once, found twice");
      }
      columns.add(column);
    }
    return columns;
  }

  private static CsvReader<CsvRecord> csv(Reader text) {
    return CsvReader.builder()
        .skipEmptyLines(true)
        .extraFieldStrategy(FieldMismatchStrategy.IGNORE)
        .missingFieldStrategy(FieldMismatchStrategy.IGNORE)
        .ofCsvRecord(text);
  }

  private Reader reader() throws IOException {
    InputStream raw = Files.newInputStream(file);
    try {
      InputStream bytes = file.toString().endsWith(".gz") ? new GZIPInputStream(raw) : raw;
      return pastByteOrderMark(
          new BufferedReader(
              new InputStreamReader(
                  bytes,
                  StandardCharsets.UTF_8.newDecoder().onMalformedInput(CodingErrorAction.REPORT))));
    } catch (IOException e) {
      raw.close();
      throw e;
    }
  }

  /** Skips the byte order mark that spreadsheets write. */
  private static Reader pastByteOrderMark(Reader text) throws IOException {
    text.mark(1);
    if (text.read() != BYTE_ORDER_MARK) {
      text.reset();
    }
    return text;
  }
}
