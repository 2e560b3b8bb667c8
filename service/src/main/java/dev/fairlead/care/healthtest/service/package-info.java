/** Tests of nodes: orders of operators, and the loop that runs them. */
@NullMarked
package dev.fairlead.care.healthtest.service;

import org.jspecify.annotations.NullMarked;
