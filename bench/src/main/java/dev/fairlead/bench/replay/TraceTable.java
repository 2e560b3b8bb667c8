package dev.fairlead.bench.replay;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.FieldMismatchStrategy;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.zip.GZIPInputStream;

/**
 * A CSV file with a heading, plain or with gzip, whose errors say file, line, column and what was
 * expected.
 */
public final class TraceTable {
  private final Path file;

  public TraceTable(Path file) {
    this.file = file;
  }

  /** A row of the table; lines count from 1, the heading included. */
  public record Row(Path file, NamedCsvRecord fields) {
    /**
     * A field in the form that is wanted.
     *
     * @param parse null-free; any exception means that the text is not in this form
     */
    public <T> T field(String column, String expected, Function<String, T> parse) {
      String text =
          fields.findField(column).orElseThrow(() -> bad(column, expected, "no such column"));
      try {
        return parse.apply(text);
      } catch (RuntimeException e) {
        throw bad(column, expected, "\"" + text + "\"");
      }
    }

    /** Whether the table has the column. */
    public boolean has(String column) {
      return fields.findField(column).isPresent();
    }

    private BadInput bad(String column, String expected, String found) {
      long line = fields.getStartingLineNumber();
      return new BadInput(
          file + ":" + line + ": column " + column + ": expected " + expected + ", found " + found);
    }
  }

  /**
   * Every row, in the order of the file; empty lines are left out.
   *
   * @throws BadInput for a file that is missing, is no CSV, or has a field that {@code parse}
   *     refuses
   */
  public <T> List<T> rows(Function<Row, T> parse) {
    if (!Files.isRegularFile(file)) {
      throw new BadInput(file + " is missing");
    }
    List<T> rows = new ArrayList<>();
    try (Reader text = reader();
        CsvReader<NamedCsvRecord> csv = strict().ofNamedCsvRecord(text)) {
      csv.forEach(fields -> rows.add(parse.apply(new Row(file, fields))));
    } catch (CsvParseException e) {
      throw new BadInput(
          file
              + ": "
              + e.getMessage()
              + (e.getCause() == null ? "" : ": " + e.getCause().getMessage()),
          e);
    } catch (IOException | UncheckedIOException e) {
      throw new BadInput(file + " cannot be read: " + e.getMessage(), e);
    }
    return rows;
  }

  private static CsvReader.CsvReaderBuilder strict() {
    return CsvReader.builder()
        .skipEmptyLines(true)
        .extraFieldStrategy(FieldMismatchStrategy.STRICT)
        .missingFieldStrategy(FieldMismatchStrategy.STRICT);
  }

  private Reader reader() throws IOException {
    InputStream raw = Files.newInputStream(file);
    try {
      InputStream bytes = file.toString().endsWith(".gz") ? new GZIPInputStream(raw) : raw;
      return new InputStreamReader(
          bytes, StandardCharsets.UTF_8.newDecoder().onMalformedInput(CodingErrorAction.REPORT));
    } catch (IOException e) {
      raw.close();
      throw e;
    }
  }
}
