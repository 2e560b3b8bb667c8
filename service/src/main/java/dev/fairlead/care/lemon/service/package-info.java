/** Reads the failure history of nodes. */
@NullMarked
package dev.fairlead.care.lemon.service;

import org.jspecify.annotations.NullMarked;
