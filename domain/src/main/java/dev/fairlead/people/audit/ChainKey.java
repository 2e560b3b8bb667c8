package dev.fairlead.people.audit;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/** Creates and verifies links and heads. Not thread-safe. */
public final class ChainKey {
  /** Derivation label of the key. */
  public static final String PURPOSE = "fairlead/audit-chain";

  private static final String MAC = "HmacSHA256";
  private static final int LONGEST = 128;
  private static final long MICROS = 1_000_000;
  private static final int NANOS = 1_000;

  /** Signed messages begin with their kind, so that a link is never accepted as a head. */
  private static final byte LINK = 1;

  private static final byte HEAD = 2;

  private final Mac mac;
  private final MessageDigest hash;
  private final ByteBuffer message = ByteBuffer.allocate(LONGEST);

  /**
   * @param secret 32 bytes
   */
  public ChainKey(byte[] secret) {
    try {
      mac = Mac.getInstance(MAC);
      mac.init(new SecretKeySpec(secret, MAC));
      hash = MessageDigest.getInstance("SHA-256");
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Creates the link of the row.
   *
   * @param before the last link, null if there is none
   */
  public ChainLink link(@Nullable ChainLink before, ChainRow row) {
    ChainLink unsigned =
        new ChainLink(
            before == null ? 1 : before.sequence() + 1,
            row.position(),
            row.at(),
            digest(row),
            before == null ? Digest.NONE : before.signature(),
            Digest.NONE);
    return new ChainLink(
        unsigned.sequence(),
        unsigned.position(),
        unsigned.at(),
        unsigned.content(),
        unsigned.previous(),
        signature(unsigned));
  }

  /** Creates a head for a chain that ends with the link. */
  public ChainHead head(ChainLink last) {
    return new ChainHead(
        last.sequence(), last.signature(), headSignature(last.sequence(), last.signature()));
  }

  boolean made(ChainLink link) {
    return link.signature().equals(signature(link));
  }

  boolean made(ChainHead head) {
    return head.signature().equals(headSignature(head.sequence(), head.link()));
  }

  Digest digest(ChainRow row) {
    return Digest.of(hash.digest(row.content().getBytes(StandardCharsets.UTF_8)));
  }

  private Digest signature(ChainLink link) {
    ChainPosition position = link.position();
    message.clear();
    message.put(LINK).putLong(link.sequence()).putInt(position.incarnation());
    message.putLong(position.transaction()).putLong(position.row()).putLong(micros(link.at()));
    link.content().writeTo(message);
    link.previous().writeTo(message);
    return signed();
  }

  private Digest headSignature(long sequence, Digest link) {
    message.clear();
    message.put(HEAD).putLong(sequence);
    link.writeTo(message);
    return signed();
  }

  private Digest signed() {
    mac.update(message.flip());
    return Digest.of(mac.doFinal());
  }

  private static long micros(Instant at) {
    return at.getEpochSecond() * MICROS + at.getNano() / NANOS;
  }
}
