package dev.fairlead.kernel.keyring;

/**
 * A secret text. Its string form contains no value, so that no log, response or message can reveal
 * it by accident.
 */
public final class Secret {
  private final String text;

  public Secret(String text) {
    this.text = text;
  }

  /** The value of the secret, for the only caller that uses it. */
  public String reveal() {
    return text;
  }

  @Override
  public String toString() {
    return "***";
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Secret secret && secret.text.equals(text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }
}
