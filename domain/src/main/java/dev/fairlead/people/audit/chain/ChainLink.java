package dev.fairlead.people.audit.chain;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;

/**
 * Chains a batch of audit rows to the previous one. Links cannot be created or changed without the
 * key.
 *
 * @param sequence number of the last row in the chain: from 1, without gaps
 * @param position position of the last row
 * @param at time of the last row
 * @param content hash of the batch. For one row, hash of its content
 * @param previous signature of the previous link, {@link Digest#NONE} for the first
 * @param signature HMAC of all the above
 * @param rows rows of the batch, in order. Empty if their stored form was damaged
 */
@RecordBuilder
public record ChainLink(
    long sequence,
    ChainPosition position,
    Instant at,
    Digest content,
    Digest previous,
    Digest signature,
    List<SealedRow> rows)
    implements ChainLinkBuilder.With {
  public ChainLink {
    rows = List.copyOf(rows);
  }

  public long first() {
    return sequence - rows.size() + 1;
  }
}
