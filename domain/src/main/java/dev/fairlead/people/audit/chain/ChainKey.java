package dev.fairlead.people.audit.chain;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/** Creates and verifies links and heads. Not thread-safe. */
public final class ChainKey {
  /** Derivation label of the key. */
  public static final String PURPOSE = "fairlead/audit-chain";

  private static final String MAC = "HmacSHA256";
  private static final int LONGEST = 128;

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
   * Creates the link of a batch. A link of one row has the form that it had before batches.
   *
   * @param before last link, null if none
   * @param batch at least one row, in order
   */
  public ChainLink link(@Nullable ChainLink before, List<ChainRow> batch) {
    List<SealedRow> rows =
        batch.stream().map(row -> new SealedRow(row.position(), row.at(), row.content())).toList();
    SealedRow last = rows.getLast();
    long sequence = (before == null ? 0 : before.sequence()) + rows.size();
    Digest previous = before == null ? Digest.NONE : before.signature();
    Digest content = content(rows);
    return new ChainLink(
        sequence,
        last.position(),
        last.at(),
        content,
        previous,
        signature(sequence, last, content, previous),
        rows);
  }

  /** Creates a head for a chain that ends with the link. */
  public ChainHead head(ChainLink last) {
    return new ChainHead(
        last.sequence(), last.signature(), headSignature(last.sequence(), last.signature()));
  }

  boolean made(ChainLink link) {
    if (link.rows().isEmpty() || !content(link.rows()).equals(link.content())) {
      return false;
    }
    SealedRow last = link.rows().getLast();
    return last.position().equals(link.position())
        && last.at().equals(link.at())
        && link.signature()
            .equals(signature(link.sequence(), last, link.content(), link.previous()));
  }

  boolean made(ChainHead head) {
    return head.signature().equals(headSignature(head.sequence(), head.link()));
  }

  private Digest content(List<SealedRow> rows) {
    return rows.size() == 1
        ? rows.getFirst().content()
        : Digest.of(hash.digest(SealedRow.bytes(rows)));
  }

  private Digest signature(long sequence, SealedRow last, Digest content, Digest previous) {
    ChainPosition position = last.position();
    message.clear();
    message.put(LINK).putLong(sequence).putInt(position.incarnation());
    message.putLong(position.transaction()).putLong(position.row());
    message.putLong(SealedRow.micros(last.at()));
    content.writeTo(message);
    previous.writeTo(message);
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
}
