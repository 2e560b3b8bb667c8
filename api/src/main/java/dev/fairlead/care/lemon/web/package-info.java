/** REST endpoint of lemons: nodes with repeated faults. */
@NullMarked
package dev.fairlead.care.lemon.web;

import org.jspecify.annotations.NullMarked;
