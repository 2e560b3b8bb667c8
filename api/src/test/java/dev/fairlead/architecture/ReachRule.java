package dev.fairlead.architecture;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Every class of the core is reachable from a class outside the core. Nested classes count as part
 * of their class.
 */
final class ReachRule {
  private ReachRule() {}

  /** Outermost classes of the core that nothing of the product reaches, by name. */
  static List<String> unreached(JavaClasses product, Set<String> core) {
    Map<String, Set<String>> uses = new HashMap<>();
    Set<String> all = new TreeSet<>();
    Deque<String> next = new ArrayDeque<>();
    for (JavaClass each : product) {
      String name = outermost(each);
      if (!core.contains(each.getName())) {
        next.add(name);
      } else if (!onlyConstants(each) && !name.endsWith("package-info")) {
        all.add(name);
      }
      Set<String> targets = uses.computeIfAbsent(name, n -> new TreeSet<>());
      each.getDirectDependenciesFromSelf().forEach(d -> targets.add(outermost(d.getTargetClass())));
    }
    Set<String> reached = new TreeSet<>();
    while (!next.isEmpty()) {
      String name = next.remove();
      if (reached.add(name)) {
        next.addAll(uses.getOrDefault(name, Set.of()));
      }
    }
    return all.stream().filter(name -> !reached.contains(name)).toList();
  }

  /** The compiler inlines constants, which leaves no trace of the use. */
  private static boolean onlyConstants(JavaClass type) {
    return type.getMethods().isEmpty()
        && !type.getFields().isEmpty()
        && type.getFields().stream().allMatch(ReachRule::constant);
  }

  private static boolean constant(JavaField field) {
    return field.getModifiers().contains(JavaModifier.STATIC)
        && field.getModifiers().contains(JavaModifier.FINAL);
  }

  private static String outermost(JavaClass type) {
    return type.getEnclosingClass().map(ReachRule::outermost).orElse(type.getName());
  }
}
