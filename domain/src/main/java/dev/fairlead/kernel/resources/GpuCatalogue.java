package dev.fairlead.kernel.resources;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * GPU models and the labels that name them: data, {@code gpu-models.csv}. An operator's file may
 * add models and replace models of the same name. A label that names no model is a separate model,
 * without MIG.
 */
public final class GpuCatalogue {
  private static final int COLUMNS = 6;
  private static final String SEPARATORS = "[^a-z0-9]+";

  private static final GpuCatalogue SHIPPED =
      new GpuCatalogue(rows(ResourceTable.lines("/gpu-models.csv")));

  private static volatile GpuCatalogue current = SHIPPED;

  private final List<GpuModel> models;
  private final Map<String, GpuModel> byName = new LinkedHashMap<>();

  private GpuCatalogue(List<GpuModel> models) {
    this.models = List.copyOf(models);
    models.forEach(model -> byName.put(model.name(), model));
  }

  /**
   * Puts an operator's models before the shipped ones, for the whole process. Called once, before
   * anything else reads the catalogue.
   *
   * @param lines in the form of {@code gpu-models.csv}, with its line of column names
   * @throws IllegalArgumentException for a row that cannot be read, with its text
   */
  public static void extend(List<String> lines) {
    List<GpuModel> own = rows(lines);
    List<String> names = own.stream().map(GpuModel::name).toList();
    List<GpuModel> all = new ArrayList<>(own);
    SHIPPED.models.stream().filter(model -> !names.contains(model.name())).forEach(all::add);
    current = new GpuCatalogue(all);
  }

  private static List<GpuModel> rows(List<String> lines) {
    List<GpuModel> rows =
        ResourceTable.rows(lines, COLUMNS).stream().map(GpuCatalogue::model).toList();
    if (rows.stream().map(GpuModel::name).distinct().count() < rows.size()) {
      throw new IllegalArgumentException("two rows have the same model");
    }
    return rows;
  }

  private static GpuModel model(List<String> cells) {
    String row = String.join(",", cells);
    String mig = cells.get(3);
    if (cells.get(0).isEmpty() || !cells.get(2).matches("[0-9]{1,9}")) {
      throw new IllegalArgumentException("no model, or no memory in MiB: " + row);
    }
    if (!mig.isEmpty() && MigGeometry.named(mig).isEmpty()) {
      throw new IllegalArgumentException("no MIG geometry is called " + mig + ": " + row);
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
   *     0 when no label gives one
   */
  public static Optional<GpuModel> read(String label, long memoryMiB) {
    String lower = label.toLowerCase(Locale.ROOT);
    GpuCatalogue catalogue = current;
    Optional<GpuModel> byMachine =
        catalogue.models.stream().filter(model -> model.in(lower)).findFirst();
    if (byMachine.isPresent()) {
      return byMachine;
    }
    List<String> words = List.of(lower.split(SEPARATORS));
    int most = catalogue.models.stream().mapToInt(model -> model.named(words)).max().orElse(0);
    List<GpuModel> named =
        catalogue.models.stream().filter(m -> most > 0 && m.named(words) == most).toList();
    return memoryMiB > 0
        ? named.stream().min((a, b) -> Long.compare(distance(a, memoryMiB), distance(b, memoryMiB)))
        : named.stream().findFirst();
  }

  private static long distance(GpuModel model, long memoryMiB) {
    return Math.abs(model.memoryMiB() - memoryMiB);
  }

  /**
   * Normalizes a user's GPU name to the form of nodes: a model or a family whatever the case, the
   * model of a product label, and any other name unchanged.
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
    return read(label, 1).filter(least -> read(label, Long.MAX_VALUE).equals(Optional.of(least)));
  }

  public static Optional<GpuModel> byName(String name) {
    return Optional.ofNullable(current.byName.get(name));
  }

  /** All models, an operator's own first. */
  public static List<GpuModel> models() {
    return Collections.unmodifiableList(current.models);
  }
}
