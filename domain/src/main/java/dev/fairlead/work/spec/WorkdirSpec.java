package dev.fairlead.work.spec;

import java.util.regex.Pattern;

/**
 * Code that the members of a job unpack into the working directory of their program.
 *
 * @param digest SHA-256 of the packed archive, {@code sha256:} and 64 hexadecimal digits
 */
public record WorkdirSpec(String digest) {
  /** Working directory of a program with code. */
  public static final String DIRECTORY = "/workdir";

  private static final Pattern FORM = Pattern.compile("sha256:[0-9a-f]{64}");

  public static boolean isDigest(String text) {
    return FORM.matcher(text).matches();
  }
}
