package dev.fairlead.work.event;

/**
 * Position of an event in the delivery order: transaction id, then sequence number. A reader stops
 * below the oldest running transaction, so nothing can appear before a position that was handed
 * out.
 */
public record EventPosition(long transaction, long sequence) implements Comparable<EventPosition> {
  public static final EventPosition START = new EventPosition(0, 0);

  @Override
  public int compareTo(EventPosition other) {
    int byTransaction = Long.compareUnsigned(transaction, other.transaction);
    return byTransaction != 0 ? byTransaction : Long.compare(sequence, other.sequence);
  }
}
