package dev.fairlead.work.spec;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Elements of an array job: {@code 0-99%8} is elements 0 to 99, at most 8 at the same time.
 *
 * @param count elements, 1..10,000. The first index is always 0
 * @param limit maximum of concurrent elements, 1..count
 */
public record ArrayRange(int count, int limit) {
  public static final int MOST = 10_000;
  private static final Pattern FORM = Pattern.compile("0-([0-9]{1,5})(?:%([0-9]{1,5}))?");

  public static Optional<ArrayRange> parse(String text) {
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      return Optional.empty();
    }
    int count = Integer.parseInt(form.group(1)) + 1;
    int limit = form.group(2) == null ? count : Integer.parseInt(form.group(2));
    return count > MOST || limit < 1
        ? Optional.empty()
        : Optional.of(new ArrayRange(count, Math.min(limit, count)));
  }

  public String text() {
    return "0-" + (count - 1) + (limit == count ? "" : "%" + limit);
  }
}
