package dev.fairlead.kernel.resources;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * GPU models and the labels that name them: data, {@code gpu-models.csv}, {@code gpu-labels.csv}
 * and {@code mig-geometries.csv}. An operator's file may add models, labels and geometries, and
 * replace models and geometries of the same name. A label that names no model is a separate model,
 * without MIG.
 */
public final class GpuCatalogue {
  private static final String HEAD = "model,product,memory_mib,mig,keys,machines";
  private static final String LABELS_HEAD = "label";
  private static final int COLUMNS = 6;
  private static final String SEPARATORS = "[^a-z0-9]+";

  /** {@code h100x8}, {@code 160x1792x8h100} and {@code 8xh100ib}: a model between numbers. */
  private static final Pattern COUNTED =
      Pattern.compile("(?:[0-9]+x)*[0-9]*([a-z]{1,3}[0-9]+[a-z]?)(?:ib)?(?:x[0-9]+)?");

  /** A memory label that differs by more belongs to another product. */
  private static final double MEMORY_TOLERANCE = 0.1;

  private static final GpuCatalogue SHIPPED =
      new GpuCatalogue(
          rows(ResourceTable.lines("/gpu-models.csv"), MigGeometry.SHIPPED),
          labels(ResourceTable.lines("/gpu-labels.csv")),
          MigGeometry.SHIPPED);

  private static volatile GpuCatalogue current = SHIPPED;

  private final List<GpuModel> models;
  private final List<String> labels;
  private final List<MigGeometry> geometries;
  private final Map<String, GpuModel> byName = new LinkedHashMap<>();

  private GpuCatalogue(List<GpuModel> models, List<String> labels, List<MigGeometry> geometries) {
    this.models = List.copyOf(models);
    this.labels = List.copyOf(labels);
    this.geometries = List.copyOf(geometries);
    models.forEach(model -> byName.put(model.name(), model));
  }

  /**
   * Puts an operator's models, labels and geometries before the shipped ones, for the whole
   * process. Called once, before anything else reads the catalogue.
   *
   * @param lines tables in the form of {@code gpu-models.csv}, {@code gpu-labels.csv} and {@code
   *     mig-geometries.csv}, each after its line of column names
   * @throws IllegalArgumentException for a row that cannot be read, with its text
   */
  public static void extend(List<String> lines) {
    Map<String, List<String>> tables = tables(lines);
    List<MigGeometry> geometries =
        merged(
            MigGeometry.read(tables.getOrDefault(MigGeometry.HEAD, List.of())),
            SHIPPED.geometries,
            MigGeometry::name);
    List<GpuModel> own = rows(tables.getOrDefault(HEAD, List.of()), geometries);
    List<String> labels = labels(tables.getOrDefault(LABELS_HEAD, List.of()));
    current =
        new GpuCatalogue(
            merged(own, SHIPPED.models, GpuModel::name),
            merged(labels, SHIPPED.labels, label -> label),
            geometries);
  }

  /** Rows of each table with their line of column names, by that line. */
  private static Map<String, List<String>> tables(List<String> lines) {
    Map<String, List<String>> tables = new LinkedHashMap<>();
    @Nullable List<String> table = null;
    for (String line : lines) {
      String text = line.replace(" ", "");
      if (List.of(HEAD, LABELS_HEAD, MigGeometry.HEAD).contains(text)) {
        table = tables.computeIfAbsent(text, head -> new ArrayList<>(List.of(head)));
      } else if (!line.isBlank() && !line.startsWith("#")) {
        if (table == null) {
          throw new IllegalArgumentException(
              "the first line must name the columns of a table: " + line);
        }
        table.add(line);
      }
    }
    return tables;
  }

  private static <T> List<T> merged(List<T> own, List<T> shipped, Function<T, String> name) {
    List<String> names = own.stream().map(name).toList();
    return Stream.concat(
            own.stream(), shipped.stream().filter(each -> !names.contains(name.apply(each))))
        .toList();
  }

  private static List<String> labels(List<String> lines) {
    return ResourceTable.rows(lines, 1).stream().map(List::getFirst).toList();
  }

  private static List<GpuModel> rows(List<String> lines, List<MigGeometry> geometries) {
    List<GpuModel> rows =
        ResourceTable.rows(lines, COLUMNS).stream().map(row -> model(row, geometries)).toList();
    if (rows.stream().map(GpuModel::name).distinct().count() < rows.size()) {
      throw new IllegalArgumentException("two rows have the same model");
    }
    return rows;
  }

  private static GpuModel model(List<String> cells, List<MigGeometry> geometries) {
    String row = String.join(",", cells);
    String mig = cells.get(3);
    if (cells.get(0).isEmpty() || !cells.get(2).matches("[0-9]{1,9}")) {
      throw new IllegalArgumentException("no model, or no memory in MiB: " + row);
    }
    if (!mig.isEmpty() && geometries.stream().noneMatch(each -> each.name().equals(mig))) {
      throw new IllegalArgumentException("unknown MIG geometry " + mig + ": " + row);
    }
    return new GpuModel(
        cells.get(0),
        cells.get(1).isEmpty() ? cells.get(0) : cells.get(1),
        Long.parseLong(cells.get(2)),
        mig.isEmpty() ? null : mig,
        words(cells.get(4), "/").map(key -> words(key, " ").toList()).toList(),
        words(cells.get(5), " ").toList());
  }

  private static Stream<String> words(String cell, String separator) {
    return Arrays.stream(cell.toLowerCase(Locale.ROOT).split(separator))
        .map(String::strip)
        .filter(word -> !word.isEmpty());
  }

  /**
   * The model that a label names.
   *
   * @param label the value of a label of a product, of a model or of an instance type
   * @param memoryMiB device memory that other labels give, which decides between sizes of a family,
   *     0 when no label gives one. A model with another memory is not returned
   */
  public static Optional<GpuModel> read(String label, long memoryMiB) {
    List<GpuModel> named = named(label);
    return memoryMiB == 0
        ? named.stream().findFirst()
        : named.stream()
            .filter(model -> distance(model, memoryMiB) <= memoryMiB * MEMORY_TOLERANCE)
            .min((a, b) -> Long.compare(distance(a, memoryMiB), distance(b, memoryMiB)));
  }

  /** Returns the models that a label may name: one, or sizes of a family. */
  private static List<GpuModel> named(String label) {
    String lower = label.toLowerCase(Locale.ROOT);
    List<GpuModel> byMachine =
        current.models.stream().filter(model -> model.in(lower)).limit(1).toList();
    if (!byMachine.isEmpty()) {
      return byMachine;
    }
    List<String> words = List.of(lower.split(SEPARATORS));
    List<GpuModel> byWords = byWords(words);
    return byWords.isEmpty()
        ? byWords(
            words.stream()
                .map(COUNTED::matcher)
                .filter(Matcher::matches)
                .map(word -> word.group(1))
                .toList())
        : byWords;
  }

  private static List<GpuModel> byWords(List<String> words) {
    int most = current.models.stream().mapToInt(model -> model.named(words)).max().orElse(0);
    return current.models.stream().filter(m -> most > 0 && m.named(words) == most).toList();
  }

  private static long distance(GpuModel model, long memoryMiB) {
    return Math.abs(model.memoryMiB() - memoryMiB);
  }

  /**
   * Normalizes a user's GPU name to the form of nodes: a model or family in any case, the model of
   * a product label, and any other name unchanged.
   */
  public static String asked(String name) {
    String upper = name.toUpperCase(Locale.ROOT);
    for (GpuModel model : current.models) {
      if (GpuModel.answers(model.name().toUpperCase(Locale.ROOT), upper)
          && model.name().regionMatches(true, 0, name, 0, name.length())) {
        return model.name().substring(0, name.length());
      }
    }
    return current.models.stream()
        .filter(model -> model.product().equalsIgnoreCase(name))
        .findFirst()
        .or(() -> GpuProduct.of(name).whole() ? one(name) : Optional.empty())
        .map(GpuModel::name)
        .orElse(name);
  }

  /** The only model that the words of a label name, empty when several sizes of a family do. */
  private static Optional<GpuModel> one(String label) {
    List<GpuModel> named = named(label);
    return named.size() == 1 ? Optional.of(named.getFirst()) : Optional.empty();
  }

  public static Optional<GpuModel> byName(String name) {
    return Optional.ofNullable(current.byName.get(name));
  }

  /** Labels of nodes that name the model if the product does not, in reading order. */
  public static List<String> labels() {
    return current.labels;
  }

  static List<MigGeometry> geometries() {
    return current.geometries;
  }

  /** All models, an operator's own first. */
  public static List<GpuModel> models() {
    return Collections.unmodifiableList(current.models);
  }
}
