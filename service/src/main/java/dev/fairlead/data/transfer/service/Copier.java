package dev.fairlead.data.transfer.service;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** The program that transfer jobs run. */
final class Copier {
  static final String TEXT = text();

  private Copier() {}

  private static String text() {
    try (InputStream file =
        Objects.requireNonNull(Copier.class.getResourceAsStream("/volume/copier.py"))) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}
