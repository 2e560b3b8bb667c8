package dev.fairlead.architecture;

import com.sun.source.tree.CaseTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.DefaultCaseLabelTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.SwitchExpressionTree;
import com.sun.source.tree.SwitchTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.lang.model.element.Modifier;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * Tidiness of hand-written sources. Files are parsed, not compiled: a rule sees the source text.
 * Each rule returns one line for each violation.
 */
final class TidyRules {

  static final int LINES_OF_A_FUNCTION = 70;
  static final int LINES_OF_A_FILE = 500;

  static final int CLASSES_OF_A_PACKAGE = 25;

  private static final Pattern BANNED_WORD =
      Pattern.compile("Manager|Helper|Utils?|Impl|Base|Common|Data|Info");
  private static final Pattern WORD_END = Pattern.compile("(?<=[a-z0-9])(?=[A-Z])|(?=[A-Z][a-z])");
  private static final Pattern TODO = Pattern.compile("\\b(TODO|FIXME|XXX)\\b(.*)");
  private static final Pattern REASON = Pattern.compile("(\\([^)]+\\))?: *\\w\\S* +\\w.*");
  private static final Pattern READ_BY_HAND =
      Pattern.compile(
          "(?s)^@RequestHeader.*(IF_MATCH|If-Match|WritePart|Idempotency-Key)"
              + "|^@RequestParam.* validateOnly$");
  private static final Pattern LAST_OF_A_PATH = Pattern.compile("[\"/]([\\w-]+)(?:\\.sql)?(?=\")");
  private static final Set<String> HASH = Set.of("HashMap", "HashSet", "ConcurrentHashMap");
  private static final Set<String> PURE = Set.of("domain", "scheduler");
  private static final Map<SourceFile, Parsed> PARSED = new IdentityHashMap<>();

  private TidyRules() {}

  static List<String> longFiles(List<SourceFile> files) {
    return files.stream()
        .filter(file -> file.lines() > LINES_OF_A_FILE)
        .map(file -> file.path() + " has " + file.lines() + " lines")
        .toList();
  }

  /** Counts files, without package-info. */
  static List<String> largePackages(List<SourceFile> files) {
    SortedMap<String, Integer> classes = new TreeMap<>();
    for (SourceFile file : files) {
      if (!file.fileName().equals("package-info.java")) {
        classes.merge(file.path().substring(0, file.path().lastIndexOf('/')), 1, Integer::sum);
      }
    }
    return classes.entrySet().stream()
        .filter(each -> each.getValue() > CLASSES_OF_A_PACKAGE)
        .map(each -> each.getKey() + " has " + each.getValue() + " classes")
        .toList();
  }

  static List<String> todosWithoutReason(List<SourceFile> files) {
    List<String> found = new ArrayList<>();
    for (SourceFile file : files) {
      TODO.matcher(file.text())
          .results()
          .filter(todo -> !REASON.matcher(todo.group(2)).matches())
          .forEach(todo -> found.add(file.path() + ": " + todo.group().strip()));
    }
    return found;
  }

  /** A file counts as used when a Java string ends with its name, with or without the ending. */
  static List<String> unusedSql(List<SourceFile> sqlFiles, List<SourceFile> java) {
    Set<String> named =
        java.stream()
            .flatMap(source -> LAST_OF_A_PATH.matcher(source.text()).results())
            .map(found -> found.group(1))
            .collect(Collectors.toSet());
    return sqlFiles.stream()
        .filter(sql -> !named.contains(sql.fileName().replaceFirst("\\.sql$", "")))
        .map(sql -> sql.path() + " is named by no Java source")
        .toList();
  }

  static List<String> longFunctions(List<SourceFile> files) {
    return scan(
        files,
        at ->
            new Scanner(at) {
              @Override
              public Void visitMethod(MethodTree method, Void none) {
                long lines = at.lastLine(method) - at.firstLine(method) + 1;
                if (lines > LINES_OF_A_FUNCTION) {
                  found(method, method.getName() + " has " + lines + " lines");
                }
                return super.visitMethod(method, none);
              }
            });
  }

  static List<String> bannedTypeNames(List<SourceFile> files) {
    return scan(
        files,
        at ->
            new Scanner(at) {
              @Override
              public Void visitClass(ClassTree type, Void none) {
                WORD_END
                    .splitAsStream(type.getSimpleName())
                    .filter(word -> BANNED_WORD.matcher(word).matches())
                    .forEach(word -> found(type, type.getSimpleName() + " says " + word));
                return super.visitClass(type, none);
              }
            });
  }

  /** Words in names of public types that are not known words. */
  static List<String> unknownWords(List<SourceFile> files, FieldTerms known) {
    return scan(
        files,
        at ->
            new Scanner(at) {
              @Override
              public Void visitClass(ClassTree type, Void none) {
                if (type.getModifiers().getFlags().contains(Modifier.PUBLIC)) {
                  WORD_END
                      .splitAsStream(type.getSimpleName())
                      .filter(word -> !known.has(word))
                      .forEach(word -> found(type, type.getSimpleName() + " says " + word));
                }
                return super.visitClass(type, none);
              }
            });
  }

  static List<String> hashCollectionsInTheCore(List<SourceFile> files) {
    return scan(
        files.stream().filter(file -> PURE.contains(file.module())).toList(),
        at ->
            new Scanner(at) {
              @Override
              public Void visitImport(ImportTree tree, Void none) {
                return null; // an unused import has no effect, and a used one is found at its use
              }

              @Override
              public Void visitIdentifier(IdentifierTree tree, Void none) {
                report(tree, tree.getName().toString());
                return super.visitIdentifier(tree, none);
              }

              @Override
              public Void visitMemberSelect(MemberSelectTree tree, Void none) {
                report(tree, tree.getIdentifier().toString());
                return super.visitMemberSelect(tree, none);
              }

              private void report(Tree tree, String name) {
                if (HASH.contains(name)) {
                  found(tree, name);
                }
              }
            });
  }

  /**
   * Options that {@code WriteOptions} reads from a request, in one place and equally for every
   * operation.
   */
  static List<String> writeOptionsByHand(List<SourceFile> files) {
    return scan(
        files,
        at ->
            new Scanner(at) {
              @Override
              public Void visitVariable(VariableTree variable, Void none) {
                if (READ_BY_HAND.matcher(variable.toString()).find()) {
                  found(variable, "take WriteOptions in place of " + variable.getName());
                }
                return super.visitVariable(variable, none);
              }
            });
  }

  /** A {@code default} would hide a case that is added to a sealed type later. */
  static List<String> defaultsOverSealedTypes(List<SourceFile> files) {
    Set<String> cases = SealedCases.in(parse(files).stream().map(Parsed::unit).toList());
    return scan(
        files,
        at ->
            new Scanner(at) {
              @Override
              public Void visitSwitch(SwitchTree tree, Void none) {
                report(tree, tree.getCases());
                return super.visitSwitch(tree, none);
              }

              @Override
              public Void visitSwitchExpression(SwitchExpressionTree tree, Void none) {
                report(tree, tree.getCases());
                return super.visitSwitchExpression(tree, none);
              }

              private void report(Tree tree, List<? extends CaseTree> switchCases) {
                boolean hasDefault =
                    switchCases.stream()
                        .flatMap(each -> each.getLabels().stream())
                        .anyMatch(DefaultCaseLabelTree.class::isInstance);
                if (hasDefault && SealedCases.matched(switchCases).anyMatch(cases::contains)) {
                  found(tree, "default in a switch over a sealed type");
                }
              }
            });
  }

  static List<String> scan(List<SourceFile> files, Function<Parsed, Scanner> scannerFor) {
    List<String> found = new ArrayList<>();
    for (Parsed parsed : parse(files)) {
      Scanner scanner = scannerFor.apply(parsed);
      scanner.scan(parsed.unit(), null);
      found.addAll(scanner.violations);
    }
    return found;
  }

  /** Each file is parsed once, because every rule checks the whole product. */
  static synchronized List<Parsed> parse(List<SourceFile> files) {
    List<SourceFile> unread = files.stream().filter(file -> !PARSED.containsKey(file)).toList();
    if (!unread.isEmpty()) {
      parseUnread(unread).forEach(parsed -> PARSED.put(parsed.file(), parsed));
    }
    return files.stream().map(PARSED::get).toList();
  }

  private static List<Parsed> parseUnread(List<SourceFile> files) {
    List<Source> sources = files.stream().map(Source::new).toList();
    JavacTask task =
        (JavacTask)
            ToolProvider.getSystemJavaCompiler()
                .getTask(null, null, null, List.of("-proc:none"), null, sources);
    Trees trees = Trees.instance(task);
    List<Parsed> units = new ArrayList<>();
    // javac returns results in the order of the requests
    Iterator<SourceFile> file = files.iterator();
    try {
      for (CompilationUnitTree unit : task.parse()) {
        units.add(new Parsed(file.next(), unit, trees));
      }
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
    return units;
  }

  record Parsed(SourceFile file, CompilationUnitTree unit, Trees trees) {

    long firstLine(Tree tree) {
      return unit.getLineMap()
          .getLineNumber(trees.getSourcePositions().getStartPosition(unit, tree));
    }

    long lastLine(Tree tree) {
      return unit.getLineMap().getLineNumber(trees.getSourcePositions().getEndPosition(unit, tree));
    }
  }

  abstract static class Scanner extends TreePathScanner<Void, Void> {

    private final Parsed at;
    private final List<String> violations = new ArrayList<>();

    Scanner(Parsed at) {
      this.at = at;
    }

    void found(Tree tree, String what) {
      violations.add(at.file().path() + ":" + at.firstLine(tree) + ": " + what);
    }
  }

  /** A source given as text. */
  private static final class Source extends SimpleJavaFileObject {

    private final SourceFile file;

    Source(SourceFile file) {
      super(URI.create("string:///" + file.path()), JavaFileObject.Kind.SOURCE);
      this.file = file;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return file.text();
    }
  }
}
