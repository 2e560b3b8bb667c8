package dev.fairlead.work.workload.kubernetes.kind;

import dev.fairlead.kernel.resources.FileCatalogue;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The shipped kinds. */
public final class Kinds {
  private static final FileCatalogue<Kind> FILES =
      new FileCatalogue<>("/kinds", KindFile::read, Kind::name);

  private static final Set<String> LABELS =
      all().stream()
          .flatMap(kind -> kind.pods().stream())
          .map(Kind.Pods::label)
          .collect(Collectors.toUnmodifiableSet());

  private Kinds() {}

  /** The result is empty for a name that no file has. */
  public static Optional<Kind> find(String name) {
    return FILES.find(name);
  }

  /** The kind of an object that a controller makes. */
  static Kind of(Kind.Made made) {
    return find(made.kind()).orElseThrow();
  }

  /** Lists the checks in order of their names. */
  public static List<Kind> all() {
    return FILES.all();
  }

  /** Keys of the labels with the roles of pods. */
  static Set<String> labels() {
    return LABELS;
  }
}
