/** REST endpoint of flaky nodes: nodes with repeated faults. */
@NullMarked
package dev.fairlead.care.flaky.web;

import org.jspecify.annotations.NullMarked;
