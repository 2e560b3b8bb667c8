package dev.fairlead.people.audit.chain;

import dev.fairlead.kernel.identity.Sha256;
import java.time.Instant;
import java.util.HexFormat;

/**
 * An audit row for the chain. It has the hash of its content, because a page has thousands of rows
 * and each may list the jobs of a batch.
 *
 * @param at start of the transaction of the change, in microseconds
 * @param content SHA-256 of the canonical text of the row
 */
public record ChainRow(ChainPosition position, Instant at, Digest content) {
  /** Creates the row with this canonical text. */
  public ChainRow(ChainPosition position, Instant at, String text) {
    this(position, at, Digest.of(HexFormat.of().parseHex(Sha256.hex(text))));
  }
}
