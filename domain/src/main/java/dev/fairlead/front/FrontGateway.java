package dev.fairlead.front;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Jobs of a cluster's own API that ask Fairlead to run them. Never throws for what a cluster does;
 * each method waits for one call at the most.
 */
public interface FrontGateway {
  /** Of a cluster that has no Jobs of its own. */
  FrontGateway NONE = new NoFront();

  /**
   * Whether all Jobs are shown.
   *
   * @param trouble why not, or what is left out; null for nothing
   */
  record View(boolean complete, @Nullable String trouble) {}

  /** Begins to watch Jobs, or ends. Returns at once. */
  void follow(boolean on);

  View view();

  /** UIDs of Jobs that changed since this was asked, at most so many; the others come next. */
  List<String> changed(int most);

  /** UIDs of all Jobs that are shown. */
  List<String> all();

  Optional<SeenJob> job(String uid);

  /** Shows these Jobs where they exist, also beyond the bound on the number of shown Jobs. */
  void admit(Collection<String> uids);

  /** The Job as it is now, and what it asks for: Read, Gone or Away. */
  FrontAnswer read(String namespace, String name, String uid);

  /** Keeps the Job until it is released, also when it is deleted. */
  FrontAnswer hold(SeenJob seen);

  /** Shows the status, if the Job is as it was seen. */
  FrontAnswer show(SeenJob seen, FrontStatus status);

  /** Keeps the Job no more. */
  FrontAnswer release(SeenJob seen);
}
