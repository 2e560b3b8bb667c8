/** Reads the failure history of nodes. */
@NullMarked
package dev.fairlead.care.flaky.service;

import org.jspecify.annotations.NullMarked;
