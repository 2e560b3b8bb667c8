/** Reasons why a job waits: every blocker, with numbers, in rank order. */
@NullMarked
package dev.fairlead.work.explanation;

import org.jspecify.annotations.NullMarked;
