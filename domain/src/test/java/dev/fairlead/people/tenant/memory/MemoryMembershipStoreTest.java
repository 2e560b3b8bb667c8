package dev.fairlead.people.tenant.memory;

import dev.fairlead.people.tenant.MembershipStoreContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryMembershipStoreTest extends MembershipStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
