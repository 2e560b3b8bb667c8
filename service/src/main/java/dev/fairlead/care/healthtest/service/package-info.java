/** Tests of nodes: requests of operators, and the loop that runs the tests. */
@NullMarked
package dev.fairlead.care.healthtest.service;

import org.jspecify.annotations.NullMarked;
