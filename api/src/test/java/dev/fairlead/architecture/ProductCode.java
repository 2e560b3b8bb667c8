package dev.fairlead.architecture;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The locations of the product's own code: compiled classes and sources of each module. */
final class ProductCode {

  /** Modules that make up the product, in build order. */
  static final List<String> PRODUCT =
      List.of(
          "domain",
          "scheduler",
          "service",
          "persistence",
          "integrations",
          "k8s-adapter",
          "simulation",
          "api");

  /** Every module with hand-written main code. */
  static final List<String> ALL =
      Stream.concat(PRODUCT.stream(), Stream.of("migrations", "tools/launcher", "verify")).toList();

  private ProductCode() {}

  static Path root() {
    String told = System.getProperty("fairlead.root");
    Path directory = told != null ? Path.of(told) : Path.of("").toAbsolutePath();
    while (directory != null && !Files.isDirectory(directory.resolve(".mvn"))) {
      directory = directory.getParent();
    }
    if (directory == null) {
      throw new IllegalStateException("not started inside the work tree");
    }
    return directory;
  }

  /** Read once: an import resolves the names in a class from the whole class path. */
  private static final class Imported {
    static final JavaClasses PRODUCT_CLASSES =
        new ClassFileImporter().importPaths(PRODUCT.stream().map(ProductCode::compiled).toList());
  }

  /** Classes of some of the {@link #PRODUCT}'s modules. */
  static JavaClasses classesOf(List<String> modules) {
    List<String> places =
        modules.stream().map(module -> compiled(module).toUri().toString()).toList();
    JavaClasses found =
        Imported.PRODUCT_CLASSES.that(
            DescribedPredicate.describe(
                "of " + modules,
                each -> {
                  String from = each.getSource().orElseThrow().getUri().toString();
                  return places.stream().anyMatch(from::startsWith);
                }));
    if (found.isEmpty()) {
      throw new IllegalStateException("no class of " + modules + ": a rule would hold for nothing");
    }
    return found;
  }

  static Set<String> namesOf(JavaClasses classes) {
    Set<String> names = new TreeSet<>();
    for (JavaClass each : classes) {
      names.add(each.getName());
    }
    return names;
  }

  static List<SourceFile> sources() {
    return ALL.stream().flatMap(module -> files(module, "src/main/java", ".java")).toList();
  }

  static List<SourceFile> testSources() {
    return ALL.stream().flatMap(module -> files(module, "src/test/java", ".java")).toList();
  }

  /** The simulation of the whole system, which is compiled with the tests. */
  static List<SourceFile> simulationSources() {
    return files("verify", "src/simulation/java", ".java").toList();
  }

  /** Keys of the texts that tests compare. */
  static List<String> textKeys() {
    return files("domain", "src/test/resources/texts", ".txt")
        .flatMap(file -> file.text().lines())
        .map(line -> line.substring(0, line.indexOf(": ")))
        .toList();
  }

  /** SQL that Java has to reference; Flyway finds the migrations by itself. */
  static List<SourceFile> sqlFiles() {
    return ALL.stream()
        .filter(module -> !module.equals("migrations"))
        .flatMap(module -> files(module, "src/main/resources", ".sql"))
        .toList();
  }

  private static Path compiled(String module) {
    Path classes = root().resolve(module).resolve("target/classes");
    if (!Files.isDirectory(classes)) {
      throw new IllegalStateException(module + " is not compiled: run the build from the root");
    }
    return classes;
  }

  private static Stream<SourceFile> files(String module, String folder, String ending) {
    Path start = root().resolve(module).resolve(folder);
    if (!Files.isDirectory(start)) {
      return Stream.of();
    }
    try (Stream<Path> walk = Files.walk(start)) {
      return walk
          .filter(path -> path.toString().endsWith(ending))
          .sorted()
          .map(path -> new SourceFile(module, root().relativize(path).toString(), read(path)))
          .toList()
          .stream();
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }

  private static String read(Path path) {
    try {
      return Files.readString(path);
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }
}
