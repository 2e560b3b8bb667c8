/** Health tests of nodes: their schedule, jobs and results. */
@NullMarked
package dev.fairlead.care.healthtest;

import org.jspecify.annotations.NullMarked;
