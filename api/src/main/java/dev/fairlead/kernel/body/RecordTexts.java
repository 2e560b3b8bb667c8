package dev.fairlead.kernel.body;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** The Javadoc of records of the API. A test generates it from the sources. */
public final class RecordTexts {
  private static final Properties JAVADOC = read("javadoc");

  private RecordTexts() {}

  /** The description of a record, or null. */
  public static @Nullable String of(Class<?> type) {
    return JAVADOC.getProperty(type.getName());
  }

  /** The description of a component of a record, or null. */
  public static @Nullable String of(Class<?> type, String component) {
    return JAVADOC.getProperty(type.getName() + "#" + component);
  }

  /** Reads a file with texts of the API document. */
  public static Properties read(String name) {
    Properties texts = new Properties();
    String file = "/openapi/" + name + ".properties";
    try (InputStream in = RecordTexts.class.getResourceAsStream(file);
        Reader reader =
            new InputStreamReader(Objects.requireNonNull(in, file), StandardCharsets.UTF_8)) {
      texts.load(reader);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + file, e);
    }
    return texts;
  }
}
