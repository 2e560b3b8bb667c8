package dev.fairlead.kernel.web;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Tokens with the start of the next page. They are opaque to callers and sealed by HMAC-SHA256
 * together with tenant and filter, so a token of another filter, of another tenant, or a forged one
 * is refused. They carry no authority.
 */
public final class PageTokens {
  private static final int SEAL_BYTES = 16;
  private static final int LONGEST = 1024;
  private final SecretKeySpec key;

  /** {@code key}: identical in all replicas, at least 16 bytes. */
  public PageTokens(byte[] key) {
    this.key = new SecretKeySpec(key, "HmacSHA256");
  }

  /**
   * @param filter everything that selects the items, always in the same form
   * @param position start of the next page
   */
  public String next(Actor actor, String filter, String position) {
    byte[] text = position.getBytes(StandardCharsets.UTF_8);
    byte[] seal = seal(actor, filter, position);
    byte[] token = Arrays.copyOf(seal, SEAL_BYTES + text.length);
    System.arraycopy(text, 0, token, SEAL_BYTES, text.length);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(token);
  }

  /**
   * Returns the page with the token of the next one, if it is not the last.
   *
   * @param found items from the start of the page, up to {@code size} and one more
   * @param position start of the page behind an item
   */
  public <T> Page<T> page(
      Actor actor, String filter, int size, List<T> found, Function<T, String> position) {
    if (found.size() <= size) {
      return Page.whole(found);
    }
    List<T> items = found.subList(0, size);
    return new Page<>(items, next(actor, filter, position.apply(items.getLast())));
  }

  /** Position in a token, in the form that the list of the token writes. */
  public static final class Position {
    private final @Nullable String text;

    private Position(@Nullable String text) {
      this.text = text;
    }

    /**
     * Reads the position, or empty without a token.
     *
     * @throws Refusal INVALID_PAGE_TOKEN for a position in a form that the list does not read, such
     *     as that of an older version
     */
    public <T> Optional<T> map(Function<String, T> form) {
      if (text == null) {
        return Optional.empty();
      }
      try {
        return Optional.of(form.apply(text));
      } catch (RuntimeException otherForm) {
        throw refused();
      }
    }
  }

  /**
   * Returns the position in the token.
   *
   * @throws Refusal INVALID_PAGE_TOKEN
   */
  public Position position(Actor actor, String filter, @Nullable String token) {
    if (token == null) {
      return new Position(null);
    }
    byte[] bytes = decoded(token);
    String position =
        new String(bytes, SEAL_BYTES, bytes.length - SEAL_BYTES, StandardCharsets.UTF_8);
    if (!MessageDigest.isEqual(seal(actor, filter, position), Arrays.copyOf(bytes, SEAL_BYTES))) {
      throw refused();
    }
    return new Position(position);
  }

  private static byte[] decoded(String token) {
    try {
      byte[] bytes = token.length() > LONGEST ? new byte[0] : Base64.getUrlDecoder().decode(token);
      if (bytes.length > SEAL_BYTES) {
        return bytes;
      }
    } catch (IllegalArgumentException e) {
      throw refused();
    }
    throw refused();
  }

  private byte[] seal(Actor actor, String filter, String position) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(key);
      for (String part : new String[] {actor.tenant().text(), filter, position}) {
        byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
        mac.update(Integer.toString(bytes.length).getBytes(StandardCharsets.US_ASCII));
        mac.update((byte) ':');
        mac.update(bytes);
      }
      return Arrays.copyOf(mac.doFinal(), SEAL_BYTES);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Refusal refused() {
    return new Refusal(
        ProblemCode.INVALID_PAGE_TOKEN,
        "This pageToken does not belong to this list and filter. Pass nextPageToken unchanged,"
            + " with the same filter.");
  }
}
