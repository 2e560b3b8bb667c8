package dev.fairlead.verify.engine.cases;

import dev.fairlead.verify.engine.cases.form.BadCase;
import dev.fairlead.verify.engine.cases.form.JsonPositions;
import dev.fairlead.verify.engine.cases.form.Value;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The case files of a folder: every {@code *.json} except the schema, by name. */
final class CaseFiles {
  private static final String FORM = "conformance-cases/1";
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private CaseFiles() {}

  /**
   * Paths of the files, by name.
   *
   * @throws BadCase when the folder does not exist or has no case file
   */
  static List<Path> in(Path folder) {
    if (!Files.isDirectory(folder)) {
      throw new BadCase(folder + " is not a folder: pass one with DIR=, or in FAIRLEAD_CASES");
    }
    try (Stream<Path> all = Files.list(folder)) {
      List<Path> files =
          all.filter(f -> f.toString().endsWith(".json") && !f.toString().endsWith(".schema.json"))
              .sorted()
              .toList();
      if (files.isEmpty()) {
        throw new BadCase(folder + " has no case file (*.json)");
      }
      return files;
    } catch (IOException e) {
      throw new BadCase(folder + " cannot be read: " + e.getMessage());
    }
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (CharacterCodingException e) {
      throw new BadCase(file.getFileName() + ": expected JSON in UTF-8");
    } catch (IOException e) {
      throw new BadCase(file + " cannot be read: " + e.getMessage());
    }
  }

  /** Adds file, line and column to the message. */
  static BadCase located(Path file, BadCase bad) {
    return bad.path().isEmpty()
        ? bad
        : new BadCase(
            "%s:%s: %s: %s"
                .formatted(
                    file.getFileName(),
                    JsonPositions.of(text(file), bad.path()),
                    bad.path(),
                    bad.getMessage()));
  }

  /** The cases of a file, in its order. */
  static List<Value> read(Path file) {
    String name = String.valueOf(file.getFileName());
    JsonNode root;
    try {
      root = JSON.readTree(text(file));
    } catch (JacksonException e) {
      throw new BadCase(
          "%s:%d:%d: expected JSON: %s"
              .formatted(
                  name,
                  e.getLocation().getLineNr(),
                  e.getLocation().getColumnNr(),
                  e.getOriginalMessage().replaceFirst(" \\(start marker at .*", "")));
    }
    if (!root.isObject()) {
      throw new BadCase(name + ":1:1: expected an object with schema and cases");
    }
    Value whole = new Value(name, "", root);
    if (!whole.get("schema").text().equals(FORM)) {
      throw whole.get("schema").bad("\"" + FORM + "\"");
    }
    if (!whole.get("cases").present()) {
      throw whole.get("cases").bad("an array");
    }
    return whole.get("cases").list();
  }
}
