# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_segnalazioni_global_optspecs
    string join \n h/help V/version
end

function __fish_segnalazioni_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_segnalazioni_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_segnalazioni_using_subcommand
    set -l cmd (__fish_segnalazioni_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c segnalazioni -n "__fish_segnalazioni_needs_command" -s h -l help -d 'Mostra questo aiuto'
complete -c segnalazioni -n "__fish_segnalazioni_needs_command" -s V -l version -d 'Mostra la versione'
complete -c segnalazioni -n "__fish_segnalazioni_needs_command" -f -a "serve" -d 'Avvia il server: la chat per il pubblico e il pannello per la redazione'
complete -c segnalazioni -n "__fish_segnalazioni_needs_command" -f -a "status" -d 'Dice in una schermata come sta l\'installazione: server, segnalazioni di oggi, consegne, backup, certificato, spazio'
complete -c segnalazioni -n "__fish_segnalazioni_needs_command" -f -a "reset-password" -d 'Imposta una nuova password del pannello, anche a server acceso o su una cartella vuota'
complete -c segnalazioni -n "__fish_segnalazioni_needs_command" -f -a "login-link" -d 'Fa un link per un accesso da un browser nuovo, quando troppi tentativi altrui bloccano il login'
complete -c segnalazioni -n "__fish_segnalazioni_needs_command" -f -a "backup" -d 'Salva una copia dell\'archivio, anche a server acceso'
complete -c segnalazioni -n "__fish_segnalazioni_needs_command" -f -a "restore" -d 'Rimette l\'archivio di un backup al posto di quello presente, che viene conservato; a server fermo'
complete -c segnalazioni -n "__fish_segnalazioni_needs_command" -f -a "verify" -d 'Controlla un backup da cima a fondo, senza toccare nulla'
complete -c segnalazioni -n "__fish_segnalazioni_needs_command" -f -a "promote" -d 'Fa della copia arrivata su questa macchina di riserva l\'archivio da servire; quella di prima poi non parte più'
complete -c segnalazioni -n "__fish_segnalazioni_needs_command" -f -a "rekey" -d 'Sostituisce tutte le chiavi dell\'archivio, dopo un furto del file delle chiavi; a server fermo'
complete -c segnalazioni -n "__fish_segnalazioni_needs_command" -f -a "doctor" -d 'Controlla l\'installazione: permessi, archivio, chiavi, spazio, orologio, posta, webhook, certificato, backup'
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand serve" -l config -d 'File di configurazione (senza: ./config.toml, se c\'è)' -r -F
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand serve" -l data-dir -d 'Cartella dei dati [predefinita: ./data]' -r -F
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand serve" -l listen -d 'Indirizzo e porta su cui ascoltare [predefiniti: 127.0.0.1:8080], o unix: e un socket per Tor; si può ripetere' -r
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand serve" -l tls-cert -d 'Certificato (PEM, con la catena) con cui rispondere in https' -r -F
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand serve" -l tls-key -d 'Chiave privata del certificato (PEM)' -r -F
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand serve" -l domain -d 'Nome per cui ottenere da soli il certificato e rispondere in https; si può ripetere' -r
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand serve" -l http-listen -d 'Indirizzo e porta da cui chi arriva in chiaro è mandato all\'indirizzo pubblico' -r
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand serve" -l metrics-listen -d 'Indirizzo e porta di questa macchina su cui dare le misure al monitoraggio, in /metrics' -r
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand serve" -l insecure-http -d 'Accetta di servire in chiaro su un indirizzo raggiungibile da altri'
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand serve" -l demo -d 'Dimostrazione: dati finti in memoria, niente viene scritto né inviato'
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand serve" -s h -l help -d 'Mostra questo aiuto'
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand status" -l config -d 'File di configurazione (senza: ./config.toml, se c\'è)' -r -F
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand status" -l data-dir -d 'Cartella dei dati [predefinita: ./data]' -r -F
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand status" -l json -d 'Risponde in JSON'
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand status" -s h -l help -d 'Mostra questo aiuto'
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand reset-password" -l config -d 'File di configurazione (senza: ./config.toml, se c\'è)' -r -F
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand reset-password" -l data-dir -d 'Cartella dei dati [predefinita: ./data]' -r -F
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand reset-password" -l user -d 'La password di una persona, di cui toglie anche il secondo fattore e le passkey [predefinita: quella della redazione]' -r
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand reset-password" -l stdin -d 'Legge la password dallo standard input (prima riga; sulla seconda il codice di recupero, se serve)'
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand reset-password" -l generate -d 'Inventa una password e la mostra'
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand reset-password" -l abandon -d 'Ricomincia con un archivio vuoto e mette da parte quello di prima, che resta sigillato: quando la modalità sigillata è attiva e si sono persi password e codice di recupero. A server fermo'
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand reset-password" -l clear-allowed-ips -d 'Toglie anche l\'elenco degli indirizzi ammessi, se ha chiuso fuori tutti'
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand reset-password" -s h -l help -d 'Mostra questo aiuto'
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand login-link" -l config -d 'File di configurazione (senza: ./config.toml, se c\'è)' -r -F
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand login-link" -l data-dir -d 'Cartella dei dati [predefinita: ./data]' -r -F
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand login-link" -l user -d 'Per chi accede con un nome utente [predefinito: la password della redazione]' -r
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand login-link" -s h -l help -d 'Mostra questo aiuto'
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand backup" -l config -d 'File di configurazione (senza: ./config.toml, se c\'è)' -r -F
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand backup" -l data-dir -d 'Cartella dei dati [predefinita: ./data]' -r -F
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand backup" -l output -d 'Dove: una cartella, un file, o «-» per lo standard output [predefinita: la cartella backups dei dati]' -r -F
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand backup" -l keep -d 'Tiene gli ultimi N backup della cartella ed elimina i precedenti' -r
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand backup" -l json -d 'Descrive il backup in JSON'
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand backup" -s h -l help -d 'Mostra questo aiuto'
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand restore" -l config -d 'File di configurazione (senza: ./config.toml, se c\'è)' -r -F
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand restore" -l data-dir -d 'Cartella dei dati [predefinita: ./data]' -r -F
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand restore" -l dry-run -d 'Fa tutti i controlli e dice che cosa tornerebbe, senza cambiare nulla'
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand restore" -l force -d 'Ripristina anche un JSON con meno segnalazioni di quelle presenti, o un backup che questa macchina non ha scritto'
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand restore" -l json -d 'Dice che cosa è tornato in JSON'
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand restore" -s h -l help -d 'Mostra questo aiuto'
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand verify" -l config -d 'File di configurazione (senza: ./config.toml, se c\'è)' -r -F
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand verify" -l data-dir -d 'Cartella dei dati [predefinita: ./data]' -r -F
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand verify" -l json -d 'Descrive il backup in JSON'
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand verify" -s h -l help -d 'Mostra questo aiuto'
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand promote" -l config -d 'File di configurazione (senza: ./config.toml, se c\'è)' -r -F
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand promote" -l data-dir -d 'Cartella dei dati [predefinita: ./data]' -r -F
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand promote" -s h -l help -d 'Mostra questo aiuto'
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand rekey" -l config -d 'File di configurazione (senza: ./config.toml, se c\'è)' -r -F
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand rekey" -l data-dir -d 'Cartella dei dati [predefinita: ./data]' -r -F
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand rekey" -l stdin -d 'Legge la password dallo standard input (prima riga; sulla seconda il codice di recupero, se serve)'
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand rekey" -l generate -d 'Inventa una password e la mostra'
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand rekey" -s h -l help -d 'Mostra questo aiuto'
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand doctor" -l config -d 'File di configurazione (senza: ./config.toml, se c\'è)' -r -F
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand doctor" -l data-dir -d 'Cartella dei dati [predefinita: ./data]' -r -F
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand doctor" -l json -d 'Risponde in JSON'
complete -c segnalazioni -n "__fish_segnalazioni_using_subcommand doctor" -s h -l help -d 'Mostra questo aiuto'
