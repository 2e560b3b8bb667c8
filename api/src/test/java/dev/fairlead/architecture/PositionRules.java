package dev.fairlead.architecture;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import dev.fairlead.architecture.TidyRules.Parsed;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import javax.lang.model.element.Modifier;

/**
 * Values that differ only by position are confused eventually, so a constructor gets at most seven.
 * A builder names them, and must name all: the compiler no longer reports one that is missing.
 */
final class PositionRules {

  static final int MOST_ARGUMENTS = 7;

  private PositionRules() {}

  /** Calls of constructors with more than {@value #MOST_ARGUMENTS} arguments. */
  static List<String> longConstructorCalls(List<SourceFile> files) {
    return TidyRules.scan(
        files,
        at ->
            new TidyRules.Scanner(at) {
              @Override
              public Void visitNewClass(NewClassTree made, Void none) {
                String type = made.getIdentifier().toString().replaceFirst("<.*", "");
                String name = type.substring(type.lastIndexOf('.') + 1);
                report(made, "new " + name, made.getArguments().size());
                return super.visitNewClass(made, none);
              }

              @Override
              public Void visitMethodInvocation(MethodInvocationTree call, Void none) {
                String name = call.getMethodSelect().toString();
                if (name.equals("this") || name.equals("super")) {
                  report(call, name, call.getArguments().size());
                }
                return super.visitMethodInvocation(call, none);
              }

              private void report(Tree call, String name, int arguments) {
                if (arguments > MOST_ARGUMENTS) {
                  found(call, name + ": " + arguments + " arguments");
                }
              }
            });
  }

  /** Chains of {@code XBuilder.builder()} that do not set every component of the record X. */
  static List<String> incompleteBuilders(List<SourceFile> files) {
    SortedMap<String, Set<String>> components = components(files);
    return TidyRules.scan(
        files,
        at ->
            new TidyRules.Scanner(at) {
              @Override
              public Void visitMethodInvocation(MethodInvocationTree call, Void none) {
                if (call.getMethodSelect() instanceof MemberSelectTree select
                    && select.getIdentifier().contentEquals("builder")
                    && call.getArguments().isEmpty()) {
                  String builder = select.getExpression().toString();
                  Set<String> all = components.get(packageOf(at, builder) + "." + builder);
                  if (all != null) {
                    report(call, builder, all);
                  }
                }
                return super.visitMethodInvocation(call, none);
              }

              private void report(Tree start, String builder, Set<String> all) {
                Set<String> missing = new TreeSet<>(all);
                String last = "";
                TreePath path = getCurrentPath().getParentPath();
                while (path.getLeaf() instanceof MemberSelectTree next && !last.equals("build")) {
                  last = next.getIdentifier().toString();
                  missing.remove(last);
                  path = path.getParentPath().getParentPath();
                }
                if (!last.equals("build")) {
                  found(start, builder + " without build()");
                } else if (!missing.isEmpty()) {
                  found(start, builder + " lacks " + String.join(", ", missing));
                }
              }
            });
  }

  private static String packageOf(Parsed at, String type) {
    for (ImportTree each : at.unit().getImports()) {
      String name = each.getQualifiedIdentifier().toString();
      if (name.endsWith("." + type)) {
        return name.substring(0, name.length() - type.length() - 1);
      }
    }
    return at.unit().getPackageName().toString();
  }

  /** The components of each annotated record by the qualified name of its builder. */
  private static SortedMap<String, Set<String>> components(List<SourceFile> files) {
    SortedMap<String, Set<String>> found = new TreeMap<>();
    for (Parsed parsed : TidyRules.parse(files)) {
      new TreePathScanner<Void, String>() {
        @Override
        public Void visitClass(ClassTree type, String outer) {
          String name = outer + type.getSimpleName();
          boolean annotated =
              type.getModifiers().getAnnotations().stream()
                  .anyMatch(each -> each.getAnnotationType().toString().equals("RecordBuilder"));
          if (type.getKind() == Tree.Kind.RECORD && annotated) {
            found.put(name + "Builder", fields(type));
          }
          return super.visitClass(type, name);
        }
      }.scan(parsed.unit(), parsed.unit().getPackageName() + ".");
    }
    return found;
  }

  private static Set<String> fields(ClassTree type) {
    Set<String> names = new TreeSet<>();
    for (Tree member : type.getMembers()) {
      if (member instanceof VariableTree field
          && !field.getModifiers().getFlags().contains(Modifier.STATIC)) {
        names.add(field.getName().toString());
      }
    }
    return names;
  }
}
