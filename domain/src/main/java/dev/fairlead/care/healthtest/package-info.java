/** Tests of nodes: what is run, when it is due, and what came of it. */
@NullMarked
package dev.fairlead.care.healthtest;

import org.jspecify.annotations.NullMarked;
