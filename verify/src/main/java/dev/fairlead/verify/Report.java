package dev.fairlead.verify;

import com.google.errorprone.annotations.FormatMethod;
import dev.fairlead.verify.host.Machine;
import java.io.PrintStream;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Prints the lines and figures of a program, and collects whether its goals are met. */
public final class Report {
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final PrintStream out;
  private boolean met = true;

  Report(PrintStream out) {
    this.out = out;
  }

  public void line(Object text) {
    out.println(text);
  }

  public void lines(Iterable<?> lines) {
    lines.forEach(out::println);
  }

  /** Prints a line by {@link String#format}. */
  @FormatMethod
  public void format(String format, Object... values) {
    out.println(String.format(Locale.ROOT, format, values));
  }

  /** Prints the machine and its current load. */
  public void machine() {
    out.println(Machine.text());
  }

  /** Prints a figure that is a goal. */
  public void figure(Figure figure) {
    out.println(figure.line());
    require(figure.good());
  }

  public void figures(Collection<Figure> figures) {
    figures.forEach(this::figure);
  }

  /** Prints a line of JSON with the entries of a map, or the components of a record. */
  public void json(String program, Object results) {
    ObjectNode line = JSON.createObjectNode().put("program", program);
    out.println(line.setAll((ObjectNode) JSON.valueToTree(results)));
  }

  /** Results of a measurement, with its goals. */
  public interface Results {
    List<Figure> figures();
  }

  /** Prints the goals, then all results as a line of JSON. */
  public void results(String program, Results results) {
    figures(results.figures());
    json(program, results);
  }

  /** Adds a goal without a line. */
  public void require(boolean good) {
    met &= good;
  }

  boolean met() {
    return met;
  }
}
