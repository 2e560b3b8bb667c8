package dev.fairlead.front;

import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Shows no Jobs. */
final class NoFront implements FrontGateway {
  private static final FrontAnswer AWAY = new FrontAnswer.Away("it has no Jobs");

  @Override
  public void follow(boolean on) {}

  @Override
  public View view() {
    return new View(false, "this kind of cluster has no Jobs");
  }

  @Override
  public List<String> changed(int most) {
    return List.of();
  }

  @Override
  public List<String> all() {
    return List.of();
  }

  @Override
  public Optional<SeenJob> job(String uid) {
    return Optional.empty();
  }

  @Override
  public void admit(Collection<String> uids) {}

  @Override
  public FrontAnswer read(String namespace, String name, String uid) {
    return AWAY;
  }

  @Override
  public FrontAnswer hold(SeenJob seen) {
    return AWAY;
  }

  @Override
  public FrontAnswer show(SeenJob seen, FrontStatus status) {
    return AWAY;
  }

  @Override
  public FrontAnswer release(SeenJob seen) {
    return AWAY;
  }
}
