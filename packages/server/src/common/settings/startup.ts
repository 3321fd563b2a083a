// Where the server listens, and where its storage is.
import { databaseUrl, flag, setting, text, whole } from './formats.ts'

export const startupSettings = {
  port: setting({
    flag: 'port',
    env: 'PORT',
    fallback: '8080',
    read: whole(0, 65535),
    help: 'port to listen on; 0 picks a free port',
  }),
  host: setting({ flag: 'host', env: 'HOST', fallback: '127.0.0.1', read: text, help: 'address to listen on' }),
  dataDir: setting({
    flag: 'data-dir',
    env: 'MAINLINE_DATA_DIR',
    fallback: './data',
    read: text,
    help: 'directory of the embedded storage',
  }),
  databaseUrl: setting({
    flag: 'database-url',
    env: 'DATABASE_URL',
    fallback: '',
    read: databaseUrl,
    secret: true,
    help: 'postgres://... uses PostgreSQL in place of the embedded storage',
  }),
  connections: setting({
    flag: 'connections',
    env: 'MAINLINE_CONNECTIONS',
    fallback: '10',
    read: whole(2, 1000),
    help: 'connections to PostgreSQL',
  }),
  workers: setting({
    flag: 'workers',
    env: 'MAINLINE_WORKERS',
    fallback: '1',
    read: whole(1, 128),
    help: 'worker processes that share the port, each with its own connections; needs PostgreSQL',
  }),
  migrate: setting({
    flag: 'migrate',
    env: 'MAINLINE_MIGRATE',
    fallback: 'true',
    read: flag,
    help: "upgrade an older schema at startup; false refuses to start until 'mainline migrate' has been run",
  }),
  demo: setting({
    flag: 'demo',
    env: 'MAINLINE_DEMO',
    fallback: 'false',
    read: flag,
    help: 'fill an empty estate with demo data',
  }),
}
