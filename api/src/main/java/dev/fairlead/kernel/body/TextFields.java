package dev.fairlead.kernel.body;

import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Reads an object of texts, which may be empty unless a subclass refuses that. */
public abstract class TextFields extends FieldReader<SortedMap<String, String>> {
  private final int most;
  private final int longestKey;
  private final int longestText;

  protected TextFields(int most, int longestKey, int longestText) {
    this.most = most;
    this.longestKey = longestKey;
    this.longestText = longestText;
  }

  @Override
  protected final Optional<SortedMap<String, String>> read(Value value) {
    SortedMap<String, String> read = new TreeMap<>();
    value
        .entries(most)
        .forEach((key, text) -> {
          if (key.isEmpty() || key.length() > longestKey) {
            text.bad(
                "has a key that is empty or has more than " + longestKey + " characters", null);
          }
          text(text, longestText).ifPresent(given -> read.put(key, given));
        });
    return Optional.of(read);
  }

  protected Optional<String> text(Value value, int longest) {
    return value.anyText(longest);
  }
}
